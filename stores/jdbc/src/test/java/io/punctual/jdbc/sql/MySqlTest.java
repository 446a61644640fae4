package io.punctual.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the versions and error codes of MariaDB and MySQL. */
final class MySqlTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.6.0-MariaDB",
        "10.11.19-MariaDB-0+deb12u1",
        "5.5.5-10.6.12-MariaDB-log",
        "11.8.2-MariaDB",
        "8.0.36",
        "8.4.3-log",
        "9.1.0"
      })
  void requireVersion_skipsLockedRows_isAccepted(String version) {
    MySql.requireVersion(version);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.5.29-MariaDB", "10.3.39-MariaDB-log", "5.7.44-log", "unknown"})
  void requireVersion_earlier_isRefusedWithTheVersion(String version) {
    assertThatThrownBy(() -> MySql.requireVersion(version))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("10.6")
        .hasMessageContaining(version);
  }

  /**
   * The driver of MariaDB reports a lock timeout with a general SQLSTATE, and the driver of MySQL
   * reports it with the SQLSTATE of a rollback. The error code is the same.
   */
  @Test
  void isLockTimeout_statesOfBothDrivers_isRecognized() {
    assertThat(SqlFailures.isLockTimeout(new SQLException("", "HY000", 1205))).isTrue();
    assertThat(SqlFailures.isLockTimeout(new SQLException("", "40001", 1205))).isTrue();
    assertThat(SqlFailures.isLockTimeout(new SQLException("", "HY000", 3572))).isTrue();
    assertThat(SqlFailures.isLockTimeout(new SQLException("", "40001", 1213))).isFalse();
    assertThat(SqlFailures.isConflict(new SQLException("", "40001", 1213))).isTrue();
    assertThat(SqlFailures.isConflict(new SQLException("", "HY000", 1020))).isTrue();
  }

  @Test
  void isRefusal_tooManyConnections_isTemporary() {
    assertThat(SqlFailures.isRefusal(new SQLException("", "42000", 1203))).isFalse();
    assertThat(SqlFailures.isRefusal(new SQLException("", "42000", 1142))).isTrue();
    assertThat(SqlFailures.isRefusal(new SQLException("", "HY000", 1665))).isTrue();
  }
}
