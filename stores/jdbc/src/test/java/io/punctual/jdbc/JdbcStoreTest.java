package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.internal.log.UrlHosts;
import io.punctual.spi.DueTime;
import io.punctual.spi.EntryPage;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.StoreUrl;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the opening and closing of stores on H2, and messages whose ids are not UTF-8. */
final class JdbcStoreTest {
  private final String location = "h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  @Test
  void open_withoutTables_refusedWithTheRemedy() throws SQLException {
    // The first connection of H2 in a JVM can take longer than the pool waits for a connection.
    source().getConnection().close();
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse("jdbc:" + location)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("createTables")
        .hasMessageContaining("jdbc/h2");
  }

  @Test
  void open_tablesOfANewerVersion_refused() throws SQLException {
    JdbcDataSource source = source();
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE punctual_schema SET version = 99");
    }
    assertThatThrownBy(() -> JdbcStore.builder().dataSource(source).createTables(true).open())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("99");
  }

  /** A database that is away may come back, so an application can wait for it. */
  @Test
  void open_noConnection_isUnavailableAndNotRefused() {
    JdbcDataSource source = source();
    for (int given = 0; given < 2; given++) {
      AtomicInteger left = new AtomicInteger(given);
      DataSource away =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection") && left.getAndDecrement() <= 0) {
                      throw new SQLException("A planned failure");
                    }
                    return method.invoke(source, arguments);
                  });
      JdbcStore.Builder builder = JdbcStore.builder().dataSource(away).createTables(true);
      assertThatThrownBy(builder::open)
          .as("after %s connections", given)
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  /** A lack of memory for a thread, for example, may pass, and the application goes on. */
  @Test
  void open_fails_returnsAllConnections() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(source());
    try (HikariDataSource pool = new HikariDataSource(config)) {
      WatchedSource watched = new WatchedSource(pool);
      watched.onStatement =
          sql -> {
            if (sql.startsWith("INSERT INTO punctual_queue")) {
              throw new OutOfMemoryError("A planned failure");
            }
          };
      JdbcStore.Builder builder = JdbcStore.builder().dataSource(watched.source());
      assertThatThrownBy(() -> builder.createTables(true).open())
          .isInstanceOf(OutOfMemoryError.class);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
    }
  }

  private JdbcDataSource source() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:" + location);
    return source;
  }

  @Test
  void open_tablesOfTheFirstVersion_upgradesThem() throws SQLException {
    JdbcDataSource source = source();
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE punctual_limit");
      statement.execute("DROP TABLE punctual_pause");
      statement.execute("DROP TABLE punctual_worker");
      statement.execute("ALTER TABLE punctual_message DROP COLUMN holder");
      statement.execute("DELETE FROM punctual_schema WHERE version > 1");
    }
    assertThatThrownBy(() -> JdbcStore.builder().dataSource(source).open())
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining(
            "run V2__limits.sql, V3__pause_notes.sql, V4__workers.sql," + " V5__lease_holders.sql");
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    JdbcStore.builder().dataSource(source).open().close();
  }

  /** H2 commits each statement of the script, so an interruption leaves a part of the tables. */
  @Test
  void open_creationOfTheTablesWasInterrupted_completesThem() throws SQLException {
    JdbcDataSource source = source();
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE punctual_call");
      statement.execute("DELETE FROM punctual_schema");
    }
    JdbcStore.builder().dataSource(source).createTables(true).open().close();
    JdbcStore.builder().dataSource(source).open().close();
  }

  @Test
  void open_h2WithOptionsOfTheDriver_passesThemOn(@TempDir Path folder) {
    String url = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true&user=shop&password=";
    JdbcStoreProvider.open(StoreUrl.parse(url + "secret")).close();
    assertThat(folder.resolve("shop.mv.db")).exists();
    JdbcStoreProvider.open(StoreUrl.parse(url + "secret")).close();
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse(url + "wrong")))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("password");
  }

  @Test
  void open_h2WithAnUnknownOption_isRefused() {
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse("jdbc:" + location + "?a=b")))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("\"A\"");
  }

  /**
   * No operation can name a message whose id is not UTF-8. A claim therefore buries the message.
   * Otherwise workers would receive it forever.
   */
  @Test
  void claim_idIsNotUtf8_becomesADeadMessage() throws Exception {
    JdbcDataSource source = source();
    try (JdbcStore store = JdbcStore.builder().dataSource(source).createTables(true).open();
        Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      statement.executeUpdate("UPDATE punctual_message SET id = X'ff'");
      assertThat(calls.claim(10).messages()).isEmpty();
      assertThat(await(calls.partition.counts()))
          .isEqualTo(new PartitionCounts(0, 0, 0, 1, 0, false));
      assertThat(await(calls.partition.purge(Set.of(State.DEAD)))).isOne();
      assertThat(await(calls.partition.counts()))
          .isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
    }
  }

  /**
   * The text of an id that is not UTF-8 has a different position in the order than its bytes. A
   * cursor with the text would skip or repeat messages.
   */
  @Test
  void browse_idIsNotUtf8_continuesBehindIt() throws Exception {
    JdbcDataSource source = source();
    try (JdbcStore store = JdbcStore.builder().dataSource(source).createTables(true).open();
        Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      TestCalls calls = new TestCalls(store, "orders");
      calls.schedule("a");
      statement.executeUpdate("UPDATE punctual_message SET id = X'ff'");
      calls.schedule("a");
      calls.apply(TestCalls.dueAt("b", new DueTime(false, 1)));
      int entries = 0;
      String next = null;
      do {
        EntryPage page = await(calls.partition.browse(State.READY, next, 1));
        entries += page.entries().size();
        next = page.next();
      } while (next != null && entries < 10);
      assertThat(entries).isEqualTo(3);
    }
  }

  @Test
  void open_noDriver_namesTheDependency() {
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse("jdbc:oracle:thin:@db/shop")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("No driver for jdbc:oracle:")
        .hasMessageContaining("PUNCTUAL_CLASSPATH");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://shop:hunter2@db/shop",
        "jdbc:mariadb://shop:hunter2@db/shop",
        "jdbc:mariadb://(host=db,password=hunter2)/shop",
        "jdbc:mysql//(host=db,password=hunter2)/shop",
        "jdbc:mysql://(host=db,password=hunter2/shop",
        "jdbc:mysql://address=(host=db)(password=hunter2/shop",
        "jdbc:mysql://shop@home:hunter2@db/shop",
        "jdbc:mysql://shop:hunter2/x@db/shop",
        "jdbc:postgresql://shop:hunter2/x@db/shop",
        "jdbc:mariadb://shop:hunter2/x@db/shop",
        "jdbc:(password=hunter2)"
      })
  void open_wrongUrlWithAPassword_isRefusedWithoutIt(String url) {
    assertThatThrownBy(() -> JdbcStoreProvider.open(StoreUrl.parse(url)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("hunter2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mysql+srv://shop:secret@db/shop",
        "aws-wrapper:mysql://shop:secret@db/shop",
        "mysql://shop:secret@db/shop",
        "mysql://(host=db,password=secret),(host=other)/shop",
        "mysql://shop:secret@[(host=db,port=1),(host=other)]/shop",
        "mysql://shop:secret@[::1]:3306,other:3307/shop",
        "mariadb:sequential://address=(host=db)(port=3306),other:3307/shop",
        "postgresql://db,other/shop",
        "postgresql://[::1]:5432,other:,db:5433/shop",
        "h2:./a@b"
      })
  void check_urlThatADriverUnderstands_isNotRefused(String location) {
    assertThatCode(() -> UrlHosts.check(location)).doesNotThrowAnyException();
  }

  @Test
  void describe_passwordInTheUrl_isNotShown() {
    try (JdbcStore store =
        JdbcStoreProvider.open(
            StoreUrl.parse("jdbc:" + location + ";USER=sa;PASSWORD=secret?createTables=true"))) {
      assertThat(store.describe()).startsWith("jdbc:h2:mem:").doesNotContain("secret");
    }
  }

  @Test
  void close_always_leavesNoRowsOfItsCalls() throws SQLException {
    JdbcDataSource source = source();
    try (Punctual punctual =
        Punctual.builder()
            .store(JdbcStore.builder().dataSource(source).createTables(true).open())
            .build()) {
      punctual.queue("orders", Codec.string()).schedule("a", Duration.ofHours(1));
    }
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM punctual_call")) {
      rows.next();
      assertThat(rows.getInt(1)).isZero();
    }
  }

  @Test
  void open_byUrl_deliversToAWorkerOfASecondClient() throws InterruptedException {
    CountDownLatch delivered = new CountDownLatch(100);
    String url = "jdbc:" + location + "?createTables=true";
    try (Punctual producer = Punctual.open(url);
        Punctual consumer = Punctual.open(url)) {
      TimedQueue<String> queue = producer.queue("orders", Codec.string());
      consumer.queue("orders", Codec.string()).work(delivery -> delivered.countDown());
      for (int i = 0; i < 100; i++) {
        queue.schedule("order " + i, Duration.ofMillis(i));
      }
      assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }
}
