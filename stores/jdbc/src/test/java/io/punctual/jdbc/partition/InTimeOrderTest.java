package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.jdbc.JdbcStore;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.TestServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * Reads the last messages of many that are due in the same millisecond. OldSnapshotTest has the
 * test on PostgreSQL.
 */
final class InTimeOrderTest {
  private static final int MESSAGES = 5_000;
  private static final long TIME = 1_000_000;
  private static final int QUEUE = 1;
  private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

  /** A position before the last 100 messages. */
  private static final Position LATE = new Position(TIME, id(MESSAGES - 100));

  /** A position after the first 100 messages. */
  private static final Position EARLY = new Position(TIME, id(100));

  private static InTimeOrder newestFirst(Connection connection) throws SQLException {
    return new InTimeOrder(Dialect.of(connection), "id, at_millis", 0, true);
  }

  private static byte[] id(int number) {
    return String.format(Locale.ROOT, "m%06d", number).getBytes(StandardCharsets.UTF_8);
  }

  private static void fill(Connection connection, String numbers) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO punctual_message (at_millis, queue_id, attempts, state, cancelled, id,"
              + " content) "
              + numbers);
    }
  }

  @Test
  void h2_afterAPosition_readsOnlyTheMessagesBehindIt() throws Exception {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    try (Connection connection = source.getConnection()) {
      fill(
          connection,
          "SELECT 1000000, 1, 0, 0, false, CAST('m' || LPAD(x, 6, '0') AS VARBINARY), X'00'"
              + " FROM SYSTEM_RANGE(0, 4999)");
      InTimeOrder order = new InTimeOrder(Dialect.of(connection), "id, at_millis");
      assertThat(ids(order, connection, LATE, 10)).hasSize(10).startsWith("m004901");
      assertThat(ids(order, connection, Position.before(TIME), 10)).startsWith("m000000");
      assertThat(scanned(order, connection, LATE, Long.MAX_VALUE)).isBetween(1L, 100L);
      InTimeOrder newest = newestFirst(connection);
      assertThat(ids(newest, connection, EARLY, 10)).hasSize(10).startsWith("m000099");
      assertThat(ids(newest, connection, Position.before(TIME + 1), 10)).startsWith("m004999");
      assertThat(scanned(newest, connection, EARLY, 0)).isBetween(1L, 300L);
    }
  }

  private static long scanned(
      InTimeOrder order, Connection connection, Position after, long lastMillis)
      throws SQLException {
    AtomicLong scanned = new AtomicLong();
    order.read(
        explaining(connection),
        QUEUE,
        0,
        after,
        lastMillis,
        10,
        row -> {
          Matcher count = SCANNED.matcher(row.getString(1));
          while (count.find()) {
            scanned.addAndGet(Long.parseLong(count.group(1)));
          }
          return true;
        });
    return scanned.get();
  }

  private static Connection explaining(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            InTimeOrderTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              try {
                return method.getName().equals("prepareStatement")
                    ? connection.prepareStatement("EXPLAIN ANALYZE " + arguments[0])
                    : method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void mariaDb_afterAPosition_readsOnlyTheMessagesBehindIt() throws Exception {
    try (TestServer server = MariaDbServer.shared()) {
      MariaDbDataSource source = new MariaDbDataSource(server.jdbcUrl());
      JdbcStore.builder().dataSource(source).createTables(true).open().close();
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl())) {
        fill(
            connection,
            "SELECT 1000000, 1, 0, 0, false, CONCAT('m', LPAD(seq, 6, '0')), ''"
                + " FROM seq_0_to_4999");
        InTimeOrder order = new InTimeOrder(Dialect.of(connection), "id, at_millis");
        long before = rowsRead(connection);
        assertThat(ids(order, connection, LATE, 10)).hasSize(10).startsWith("m004901");
        assertThat(rowsRead(connection) - before).isLessThan(100);
        assertThat(ids(order, connection, Position.before(TIME), 10)).startsWith("m000000");
        InTimeOrder newest = newestFirst(connection);
        before = rowsRead(connection);
        assertThat(ids(newest, connection, EARLY, 10)).hasSize(10).startsWith("m000099");
        assertThat(rowsRead(connection) - before).isLessThan(100);
        assertThat(ids(newest, connection, Position.before(TIME + 1), 10)).startsWith("m004999");
      }
    }
  }

  private static long rowsRead(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SHOW SESSION STATUS WHERE Variable_name IN"
                    + " ('Handler_read_next', 'Handler_read_prev')")) {
      long read = 0;
      while (rows.next()) {
        read += rows.getLong(2);
      }
      return read;
    }
  }

  private static List<String> ids(
      InTimeOrder order, Connection connection, Position after, int limit) throws SQLException {
    List<String> ids = new ArrayList<>();
    order.read(
        connection,
        QUEUE,
        0,
        after,
        order.newestFirst() ? 0 : Long.MAX_VALUE,
        limit,
        row -> ids.add(new String(row.getBytes(1), StandardCharsets.UTF_8)));
    return ids;
  }
}
