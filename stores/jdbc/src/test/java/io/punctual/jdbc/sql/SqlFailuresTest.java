package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** Tests which failures of databases lead to another try of the transaction. */
final class SqlFailuresTest {
  @Test
  void isConflict_h2ListsASessionWhoseTransactionEnds_isRepeated() {
    SQLException race =
        new SQLException(
            "General error: \"java.lang.NullPointerException: Cannot invoke"
                + " \"\"org.h2.mvstore.tx.Transaction.getStatus()\"\" because"
                + " \"\"this.transaction\"\" is null\"",
            "HY000",
            50000);
    assertThat(SqlFailures.isConflict(race)).isTrue();
    assertThat(SqlFailures.isConflict(new SQLException("General error", "HY000", 50000))).isFalse();
  }
}
