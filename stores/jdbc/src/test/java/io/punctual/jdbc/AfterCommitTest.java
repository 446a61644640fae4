package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests actions that fail after a commit: the caller would mistake that for a failed commit. */
final class AfterCommitTest {
  private final AtomicInteger later = new AtomicInteger();

  private void addActions(JdbcTransaction transaction) {
    transaction.afterCommit(
        () -> {
          throw new IllegalStateException("a planned failure");
        });
    transaction.afterCommit(
        () -> {
          throw new NoClassDefFoundError("a planned error");
        });
    transaction.afterCommit(later::incrementAndGet);
  }

  private static Connection connection() throws Exception {
    Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void commit_actionsFail_runsTheOthers() throws Exception {
    try (Connection connection = connection()) {
      JdbcTransaction transaction = JdbcTransaction.of(connection);
      addActions(transaction);
      transaction.commit();
    }
    assertThat(later).hasValue(1);
  }

  @Test
  void commitOfAFramework_actionsFail_runsTheOthers() throws Exception {
    List<Runnable> afterCommit = new ArrayList<>();
    try (Connection connection = connection()) {
      addActions(JdbcTransaction.of(connection, afterCommit::add));
      connection.commit();
      afterCommit.forEach(Runnable::run);
    }
    assertThat(later).hasValue(1);
  }
}
