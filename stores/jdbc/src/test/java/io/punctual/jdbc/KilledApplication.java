package io.punctual.jdbc;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.Stage;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * An application that takes and handles orders, each in a separate transaction. It calls back
 * before and after each commit.
 */
final class KilledApplication {
  static final String QUEUE = "killed-orders";

  /**
   * Allows many attempts, because each kill costs an attempt, and a dead letter would never be
   * handled.
   */
  static final WorkerOptions OPTIONS =
      WorkerOptions.builder()
          .concurrency(4)
          .lease(Duration.ofSeconds(2))
          .retryPolicy(RetryPolicy.DEFAULT.maxAttempts(1_000))
          .build();

  /** The start of a line on standard error that describes a failure. */
  static final String FAILURE = "FAILURE ";

  private static final int TAKERS = 3;

  private final String url;
  private final TimedQueue<String> queue;
  private final Consumer<String> lines;

  /**
   * Opens the queue.
   *
   * @param lines is called before and after each commit
   */
  KilledApplication(String url, Punctual punctual, Consumer<String> lines) {
    this.url = url;
    this.lines = lines;
    queue = punctual.queue(QUEUE, Codec.string());
  }

  /**
   * Runs the application in a process that prints a line before and after each commit, so that the
   * test can choose when to kill it.
   *
   * @param orders the number of orders that each thread tries to take
   */
  record Orders(int orders) implements Role {
    @Override
    public void play(Stage stage) throws InterruptedException {
      try (Punctual punctual = open(stage.url())) {
        KilledApplication application =
            new KilledApplication(stage.url(), punctual, System.out::println);
        application.work();
        Thread[] takers = new Thread[TAKERS];
        for (int i = 0; i < TAKERS; i++) {
          takers[i] = new Thread(() -> application.takeOrders(orders));
          takers[i].start();
        }
        for (Thread taker : takers) {
          taker.join();
        }
      }
    }
  }

  /**
   * Tries until a store opens, because on a busy machine the server may take longer than the
   * time-out of a connection.
   */
  private static Punctual open(String url) {
    while (true) {
      try {
        return Punctual.open(url);
      } catch (StoreUnavailableException e) {
        report(e);
      }
    }
  }

  /** Prints a failure on standard error, in a line that the test finds and prints. */
  private static void report(Exception failure) {
    System.err.println(FAILURE + failure);
  }

  /** Creates the tables of the orders that were taken, and of the handled orders. */
  static void createTables(String url) throws SQLException {
    try (JdbcUserTransaction user = new JdbcUserTransaction(url);
        Statement statement = user.connection().createStatement()) {
      for (String table : new String[] {"taken", "handled"}) {
        statement.execute("CREATE TABLE " + table + " (id varchar(36) NOT NULL)");
        statement.execute("CREATE INDEX " + table + "_id ON " + table + " (id)");
      }
      user.commit();
    }
  }

  void work() {
    queue.work(
        OPTIONS,
        delivery -> {
          try (JdbcUserTransaction user = new JdbcUserTransaction(url)) {
            insert(user.connection(), "handled", delivery.id());
            delivery.ack(user.transaction());
            commit(user);
          }
        });
  }

  private void takeOrders(int orders) {
    for (int i = 0; i < orders; i++) {
      String id = UUID.randomUUID().toString();
      try (JdbcUserTransaction user = new JdbcUserTransaction(url)) {
        insert(user.connection(), "taken", id);
        queue
            .inTransaction(user.transaction())
            .schedule(Message.of("order").id(id).dueIn(Duration.ZERO));
        commit(user);
      } catch (SQLException | PunctualException e) {
        report(e);
      }
    }
  }

  private void commit(JdbcUserTransaction user) {
    lines.accept("before");
    user.commit();
    lines.accept("after");
  }

  private static void insert(Connection connection, String table, String id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
      statement.setString(1, id);
      statement.executeUpdate();
    }
  }
}
