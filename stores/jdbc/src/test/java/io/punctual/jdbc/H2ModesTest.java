package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.Startup;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the modes and options of H2: each works, or the store refuses it when it opens. */
final class H2ModesTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final List<String> MODES =
      List.of(
          "REGULAR",
          "STRICT",
          "LEGACY",
          "DB2",
          "Derby",
          "HSQLDB",
          "MSSQLServer",
          "MariaDB",
          "MySQL",
          "Oracle",
          "PostgreSQL");

  private static final List<String> OPTIONS =
      List.of(
          "DATABASE_TO_LOWER=TRUE",
          "DATABASE_TO_UPPER=FALSE",
          "CASE_INSENSITIVE_IDENTIFIERS=TRUE",
          "DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE;DEFAULT_NULL_ORDERING=HIGH",
          "NON_KEYWORDS=VALUE,KEY,USER,TEXT",
          "LOCK_MODE=0",
          "LOCK_TIMEOUT=10000",
          "AUTOCOMMIT=OFF",
          "TIME ZONE=Asia/Tokyo",
          "VARIABLE_BINARY=TRUE",
          "MAX_LENGTH_INPLACE_LOB=10",
          "LAZY_QUERY_EXECUTION=1",
          "QUERY_CACHE_SIZE=0",
          "IGNORE_CATALOGS=TRUE");

  private static String url(String settings) {
    return "jdbc:h2:mem:" + UUID.randomUUID() + ";" + settings;
  }

  @Test
  void open_eachMode_createsTablesAndDelivers() {
    MODES.forEach(mode -> assertWorks("MODE=" + mode));
  }

  @Test
  @Tag("extended")
  void open_eachModeWithTheUsualOptions_createsTablesAndDelivers() {
    for (String mode : MODES) {
      OPTIONS.forEach(options -> assertWorks("MODE=" + mode + ";" + options));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
        "MODE=MySQL;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        "LAZY_QUERY_EXECUTION=1"
      })
  void open_usualUrlOfATest_createsTablesAndDelivers(String settings) {
    assertWorks(settings);
  }

  private static void assertWorks(String settings) {
    try (Punctual punctual = Punctual.open(url(settings) + "?createTables=true")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      TimedQueue<String> other = punctual.queue("ORDERS", Codec.string());
      queue.setLimits(QueueLimits.none().concurrency(5));
      Set<String> delivered = ConcurrentHashMap.newKeySet();
      Set<String> deliveredByOther = ConcurrentHashMap.newKeySet();
      Worker worker = queue.work(delivery -> delivered.add(delivery.id()));
      Worker workerOfOther = other.work(delivery -> deliveredByOther.add(delivery.id()));
      queue.schedule(Message.of("x".repeat(20_000)).id("large"));
      queue.schedule(Message.of("y").id("soon").dueIn(Duration.ofMillis(20)));
      queue.schedule(Message.of("y").id("SOON").dueIn(Duration.ofMillis(20)));
      queue.schedule(Message.of("z").id("later").dueIn(HOUR));
      queue.schedule(Message.of("z").id("never").dueIn(HOUR));
      other.schedule(Message.of("y").id("other"));
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(delivered).describedAs(settings).hasSize(3);
                assertThat(deliveredByOther).describedAs(settings).containsExactly("other");
              });
      worker.close();
      workerOfOther.close();
      assertThat(queue.cancel("never")).isEqualTo(CancelOutcome.CANCELLED);
      assertThat(queue.browse(State.SCHEDULED, 10).items()).hasSize(1);
      queue.pause();
      queue.resume();
      assertThat(queue.purge(EnumSet.allOf(State.class))).isEqualTo(1);
    } catch (RuntimeException e) {
      throw new AssertionError("H2 with " + settings, e);
    }
  }

  /** Without the refusal, these settings would mix queues up, or accept messages for ever. */
  @ParameterizedTest
  @CsvSource({
    "IGNORECASE=TRUE, IGNORECASE",
    "MODE=MySQL;IGNORECASE=TRUE, IGNORECASE",
    "MODE=PostgreSQL;IGNORECASE=TRUE, IGNORECASE",
    "COLLATION=ENGLISH STRENGTH PRIMARY, COLLATION",
    "ALLOW_LITERALS=NONE, ALLOW_LITERALS",
    "OLD_INFORMATION_SCHEMA=TRUE, OLD_INFORMATION_SCHEMA",
    "MVCC=TRUE, MVCC"
  })
  void open_settingThatChangesTheResultsOfStatements_isRefusedByName(String settings, String name) {
    assertThatThrownBy(() -> Punctual.open(url(settings) + "?createTables=true"))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {";createTables=true", ";CREATETABLES=TRUE;MODE=PostgreSQL;threads=1"})
  void open_optionsOfTheStoreInTheFormOfH2_areUnderstood(String options) {
    try (Punctual punctual =
        Punctual.open(("jdbc:h2:mem:" + UUID.randomUUID() + options).replace("=TRUE", "=true"))) {
      punctual.queue("orders", Codec.string()).schedule("order", HOUR);
    }
  }

  @Test
  void open_optionTwice_isRefused() {
    assertThatThrownBy(() -> Punctual.open(url("threads=1") + "?threads=2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'threads' twice");
  }

  @Test
  void url_thatH2Repeats_isShownWithoutThePassword() {
    assertThatThrownBy(() -> Punctual.open("jdbc:h2:orders;USER=a;PASSWORD=secret"))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("jdbc:h2:async:orders")
        .hasMessageNotContaining("secret")
        .rootCause()
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:h2:tcp://127.0.0.1:1/orders;USER=a;PASSWORD=se@cret, jdbc:h2:tcp://127.0.0.1:1/orders",
    "jdbc:h2:tcp://127.0.0.1:1/orders;PASSWORD=secret?threads=1, jdbc:h2:tcp://127.0.0.1:1/orders"
  })
  void store_thatIsOpenedLater_isShownWithoutThePassword(String url, String shown) {
    try (Punctual punctual = Punctual.builder().url(url).startup(Startup.BACKGROUND).build()) {
      assertThat(punctual.toString()).contains(shown).doesNotContain("cret");
    }
  }

  /** A process can pause while it rehearses. */
  @Test
  void open_otherProcessRehearsesForLong_isUnavailableAndNotRefused() throws SQLException {
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=50";
    Punctual.open(url + "?createTables=true").close();
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          "INSERT INTO punctual_queue (name, paused) VALUES ('punctual-rehearsal', false)");
      assertThatThrownBy(() -> Punctual.open(url)).isInstanceOf(StoreUnavailableException.class);
      other.rollback();
      Punctual.open(url).close();
    }
  }
}
