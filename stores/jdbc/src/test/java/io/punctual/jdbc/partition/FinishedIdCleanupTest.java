package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.jdbc.sql.CallMarkers;
import io.punctual.jdbc.sql.Connections;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Lender;
import io.punctual.jdbc.sql.TransactionRunner;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** Tests when a deletion of expired ids is submitted. */
final class FinishedIdCleanupTest {
  private final List<Runnable> submitted = new ArrayList<>();

  private static StoreParts parts() throws SQLException {
    JdbcDataSource database = new JdbcDataSource();
    database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    try (Connection connection = database.getConnection()) {
      Dialect dialect = Dialect.of(connection);
      Connections connections = new Connections(Lender.of(database, connection, dialect));
      return new StoreParts(
          new TransactionRunner(connections, "database"), dialect, new CallMarkers(dialect));
    }
  }

  @Test
  void submitIfDue_isSubmitted_waitsForItsRun() throws SQLException {
    FinishedIdCleanup cleanup = new FinishedIdCleanup("orders", parts());
    cleanup.submitIfDue(submitted::add);
    cleanup.submitIfDue(submitted::add);
    assertThat(submitted).hasSize(1);
  }

  @Test
  void submitIfDue_noThread_isSubmittedByALaterCall() throws SQLException {
    FinishedIdCleanup cleanup = new FinishedIdCleanup("orders", parts());
    cleanup.submitIfDue(
        task -> {
          throw new InternalError("a planned lack of memory");
        });
    cleanup.submitIfDue(
        task -> {
          throw new RejectedExecutionException("closed");
        });
    cleanup.submitIfDue(submitted::add);
    assertThat(submitted).hasSize(1);
  }
}
