package io.punctual.jdbc;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/**
 * A process that takes orders and works on them, each in a transaction of its own, until it is
 * killed. Prints a line before and after each commit, from which the test chooses the moment.
 */
final class KilledApplication {
  static final String QUEUE = "killed-orders";
  static final WorkerOptions OPTIONS =
      WorkerOptions.builder().concurrency(4).lease(Duration.ofSeconds(2)).build();

  private final String url;
  private final TimedQueue<String> queue;

  KilledApplication(String url, Punctual punctual) {
    this.url = url;
    queue = punctual.queue(QUEUE, Codec.string());
  }

  public static void main(String[] arguments) {
    String url = arguments[0];
    KilledApplication application = new KilledApplication(url, Punctual.open(url));
    application.work();
    for (int i = 0; i < 3; i++) {
      new Thread(application::takeOrders).start();
    }
  }

  static void createTables(String url) throws SQLException {
    try (JdbcUserTransaction user = new JdbcUserTransaction(url);
        PreparedStatement statement =
            user.connection()
                .prepareStatement(
                    "CREATE TABLE taken (id text NOT NULL); CREATE TABLE handled (id text NOT"
                        + " NULL)")) {
      statement.execute();
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

  private void takeOrders() {
    while (true) {
      String id = UUID.randomUUID().toString();
      try (JdbcUserTransaction user = new JdbcUserTransaction(url)) {
        insert(user.connection(), "taken", id);
        queue
            .inTransaction(user.transaction())
            .schedule(Message.of("order").id(id).dueIn(Duration.ZERO));
        commit(user);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static void commit(JdbcUserTransaction user) {
    System.out.println("before");
    user.commit();
    System.out.println("after");
  }

  private static void insert(Connection connection, String table, String id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
      statement.setString(1, id);
      statement.executeUpdate();
    }
  }
}
