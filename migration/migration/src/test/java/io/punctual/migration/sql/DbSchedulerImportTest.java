package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports rows that db-scheduler itself has written. */
class DbSchedulerImportTest {
  private final Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
  private final Set<String> ran = ConcurrentHashMap.newKeySet();
  private final CountDownLatch running = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);
  private final OneTimeTask<String> task =
      Tasks.oneTime("close-order", String.class)
          .execute(
              (instance, context) -> {
                ran.add(instance.getId());
                if (instance.getId().equals("slow")) {
                  running.countDown();
                  await(end);
                }
              });
  private final RecurringTask<Void> recurring =
      Tasks.recurring("close-order-2", FixedDelay.ofHours(1)).execute((instance, context) -> {});

  private TestDatabase database;
  private Scheduler scheduler;
  private Punctual punctual;
  private TimedQueue<byte[]> queue;

  /** Writes strings as UTF-8, as an application with JSON does. */
  private static final class Text implements Serializer {
    @Override
    public byte[] serialize(Object data) {
      return data == null ? null : data.toString().getBytes(UTF_8);
    }

    @Override
    public <T> T deserialize(Class<T> type, byte[] bytes) {
      return bytes == null ? null : type.cast(new String(bytes, UTF_8));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("The wait took too long");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @BeforeEach
  void open() throws SQLException {
    database = database();
    scheduler =
        Scheduler.create(database.source(), task)
            .serializer(new Text())
            .startTasks(recurring)
            .pollingInterval(Duration.ofMillis(20))
            .threads(2)
            .build();
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }

  @AfterEach
  void close() {
    end.countDown();
    scheduler.stop();
    punctual.close();
    database.close();
  }

  /** Returns a database with an empty table. */
  TestDatabase database() throws SQLException {
    TestDatabase created = TestDatabase.h2();
    created.execute(DbSchedulerTables.H2);
    return created;
  }

  private void schedule(String id, String data, Instant time) {
    scheduler.schedule(task.instance(id, data), time);
  }

  private DbSchedulerImport<byte[]> from(String name) {
    return DbSchedulerImport.from(database.source(), name).to(queue);
  }

  @Test
  void run_oneTimeExecutions_moveWithIdDataAndTime() throws SQLException {
    schedule("a", "{\"total\":1}", due);
    schedule("b", null, due.plusNanos(1000));

    ImportReport dry = from("close-order").dryRun();
    ImportReport report = from("close-order").run();

    assertThat(dry.found()).isEqualTo(2);
    assertThat(report.isClean()).isTrue();
    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(queue.find("a").orElseThrow().payload()).asString().isEqualTo("{\"total\":1}");
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(queue.find("b").orElseThrow().payload()).isEmpty();
    assertThat(queue.find("b").orElseThrow().dueAt()).isEqualTo(due.plusMillis(1));
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isZero();
  }

  @Test
  void run_besideALiveScheduler_leavesRunningAndRecurringExecutions() throws SQLException {
    scheduler.start();
    schedule("slow", "x", Instant.now());
    await(running);
    // The recurring execution counts as running until its first run has ended.
    String repeated = "SELECT count(*) FROM scheduled_tasks WHERE last_success IS NOT NULL";
    Awaitility.await().until(() -> database.count(repeated) == 1);
    schedule("later", "x", due);
    ImportReport report = from("close-order").run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.details()).containsEntry("running", 1L).containsEntry("other tasks", 1L);
    assertThat(from("close-order-2").run().details()).containsEntry("recurring", 1L);
    end.countDown();
    scheduler.stop();
    assertThat(ran).containsExactly("slow");
    assertThat(database.count(repeated)).isEqualTo(1);
  }

  @Test
  void run_storeGone_leavesTakenRowsThatNoSchedulerRunsUntilTheAbort() throws SQLException {
    schedule("a", "x", Instant.now());
    punctual.close();
    assertThatThrownBy(() -> from("close-order").patience(Duration.ZERO).run())
        .isInstanceOf(PunctualException.class);
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks WHERE picked")).isEqualTo(1);
    scheduler.start();

    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from("close-order").dryRun().details()).containsEntry("staged", 1L);
    assertThat(ran).isEmpty();
    assertThat(from("close-order").abort().details()).containsEntry("put back", 1L);
    while (!ran.contains("a")) {
      Thread.onSpinWait();
    }
    assertThat(queue.counts().scheduled()).isZero();
  }

  @Test
  void run_afterAnUnfinishedRun_continues() throws SQLException {
    schedule("a", "x", due);
    punctual.close();
    assertThatThrownBy(() -> from("close-order").patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());

    assertThat(from("close-order").run().scheduled()).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isZero();
  }

  @Test
  void runAndAbort_rowsTakenForADifferentQueue_areRefused() throws SQLException {
    schedule("a", "x", due);
    punctual.close();
    assertThatThrownBy(() -> from("close-order").patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("mails", Codec.bytes());

    assertThatThrownBy(() -> from("close-order").run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("different target", "mails");
    assertThatThrownBy(() -> from("close-order").abort()).hasMessageContaining("different target");
    assertThat(queue.counts().scheduled()).isZero();
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from("close-order").run().scheduled()).isEqualTo(1);
  }

  /** Returns a queue that runs the action before the first call of the method with this name. */
  private TimedQueue<byte[]> before(String name, Runnable action) {
    TimedQueue<byte[]> plain = queue;
    AtomicBoolean done = new AtomicBoolean();
    @SuppressWarnings("unchecked")
    TimedQueue<byte[]> wrapped =
        (TimedQueue<byte[]>)
            Proxy.newProxyInstance(
                TimedQueue.class.getClassLoader(),
                new Class<?>[] {TimedQueue.class},
                (proxy, method, args) -> {
                  if (method.getName().equals(name) && done.compareAndSet(false, true)) {
                    action.run();
                  }
                  return method.invoke(plain, args);
                });
    return wrapped;
  }

  @ParameterizedTest
  @ValueSource(strings = {"scheduleAll", "async"})
  void abort_besideALiveRun_losesNoRow(String step) throws SQLException {
    schedule("a", "x", due);
    AtomicReference<ImportReport> aborted = new AtomicReference<>();
    TimedQueue<byte[]> interrupted = before(step, () -> aborted.set(from("close-order").abort()));

    ImportReport report =
        DbSchedulerImport.from(database.source(), "close-order").to(interrupted).run();

    boolean putBack = step.equals("scheduleAll");
    assertThat(aborted.get().details()).containsEntry("put back", putBack ? 1L : 0L);
    // The run takes the row that the abort has given back.
    assertThat(report.details().containsKey("gone")).isEqualTo(putBack);
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isZero();
  }

  @Test
  void run_followedThroughAnOutage_hasUnlimitedPatience() throws SQLException {
    schedule("a", "x", due);
    AtomicInteger connections = new AtomicInteger();
    AtomicReference<DbSchedulerImport<byte[]>> running = new AtomicReference<>();
    DataSource failing =
        counted(
            connections,
            () -> {
              int number = connections.get();
              if (number == 12) {
                running.get().stop();
              }
              if (number > 2 && number < 6) {
                throw new SQLTransientConnectionException("refused");
              }
            });
    running.set(DbSchedulerImport.from(failing, "close-order").to(queue));

    ImportReport report = running.get().follow(true).patience(Duration.ZERO).run();

    assertThat(report.scheduled()).isEqualTo(1);
  }

  @Test
  void run_followedWithoutEntries_readsTheTableLessOften() {
    AtomicInteger connections = new AtomicInteger();
    AtomicReference<DbSchedulerImport<byte[]>> running = new AtomicReference<>();
    DataSource counted =
        counted(
            connections,
            () -> {
              if (connections.get() == 10) {
                running.get().stop();
              }
            });
    running.set(DbSchedulerImport.from(counted, "close-order").to(queue));

    // The run has at least five pauses, each twice as long as the previous pause.
    assertThat(running.get().follow(true).run().elapsed()).isGreaterThan(Duration.ofMillis(1500));
  }

  private interface Step {
    void run() throws SQLException;
  }

  private DataSource counted(AtomicInteger connections, Step step) {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              connections.incrementAndGet();
              step.run();
              return database.source().getConnection();
            });
  }

  @Test
  void run_readerThatThrows_reportsAndKeepsTheRow() throws SQLException {
    schedule("bad", "no number", due);
    DbSchedulerImport<byte[]> importer =
        DbSchedulerImport.from(database.source(), "close-order")
            .to(queue, bytes -> new byte[] {Byte.parseByte(new String(bytes, UTF_8))});

    assertThat(importer.dryRun().left()).isEqualTo(1);
    assertThat(importer.run().problems().get(0).entry()).isEqualTo("bad");
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks WHERE picked")).isZero();
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks")).isEqualTo(1);
  }

  @Test
  void run_payloadThatTheQueueRefuses_returnsToTheScheduler() throws SQLException {
    schedule("large", "x".repeat(2 << 20), due);
    schedule("small", "x", due);

    ImportReport report = from("close-order").run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.left()).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks WHERE NOT picked"))
        .isEqualTo(1);
  }

  @Test
  void run_databaseAwayFromTheStart_failsAtOnce() {
    AtomicInteger connections = new AtomicInteger();
    DataSource away =
        counted(
            connections,
            () -> {
              throw new SQLTransientConnectionException("refused");
            });

    assertThatThrownBy(() -> DbSchedulerImport.from(away, "close-order").to(queue).run())
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("refused");
    assertThat(connections).hasValue(1);
  }

  @Test
  void from_urlWithoutADriver_saysWhatToAdd() {
    assertThatThrownBy(() -> DbSchedulerImport.from("jdbc:nope:shop", "close-order"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("No driver for jdbc:nope:");
  }

  @Test
  void run_columnWithoutZone_needsTheZone() throws SQLException {
    database.execute(
        "ALTER TABLE scheduled_tasks ALTER COLUMN execution_time "
            + (isH2() ? "TIMESTAMP(6)" : "TYPE TIMESTAMP(6)"));
    insert("winter", "2098-01-15 12:00:00");
    insert("twice", "2097-10-27 02:30:00");

    assertThatThrownBy(() -> from("close-order").run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("has no time zone", "--zone");
    assertThat(database.count("SELECT count(*) FROM scheduled_tasks WHERE picked")).isZero();
    ImportReport report = from("close-order").zone(ZoneId.of("Europe/Berlin")).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("winter").orElseThrow().dueAt()).isEqualTo("2098-01-15T11:00:00Z");
    assertThat(report.problems().toString()).contains("T02:30 occurs twice in Europe/Berlin");
  }

  private void insert(String id, String time) throws SQLException {
    database.execute(
        "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
            + " VALUES ('close-order', '"
            + id
            + "', TIMESTAMP '"
            + time
            + "', FALSE, 1)");
  }

  private boolean isH2() throws SQLException {
    try (Connection connection = database.source().getConnection()) {
      return connection.getMetaData().getURL().startsWith("jdbc:h2:");
    }
  }

  @Test
  void run_missingTable_namesIt() {
    assertThatThrownBy(() -> from("close-order").table("nothing").run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("database of the old library", "nothing");
    assertThatThrownBy(() -> from("close-order").table("a; DROP TABLE b"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
