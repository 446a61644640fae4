package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.ScheduleBuilder;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Imports triggers that Quartz itself has written, in the tables of its own schema. */
class QuartzImportTest {
  private static final Set<String> RAN = ConcurrentHashMap.newKeySet();
  private static volatile CountDownLatch running = new CountDownLatch(1);
  private static volatile CountDownLatch end = new CountDownLatch(1);

  private final Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
  private TestDatabase database;
  private Scheduler quartz;
  private Punctual punctual;
  private TimedQueue<byte[]> queue;

  /** A job that notes its run. */
  public static final class CloseOrder implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      String name = context.getJobDetail().getKey().getName();
      RAN.add(name);
      if (name.equals("slow")) {
        running.countDown();
        await(end);
      }
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

  private record Provider(DataSource source) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return source.getConnection();
    }

    @Override
    public void shutdown() {}

    @Override
    public void initialize() {}
  }

  @BeforeEach
  void open() throws Exception {
    RAN.clear();
    running = new CountDownLatch(1);
    end = new CountDownLatch(1);
    database = database();
    start(false);
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }

  /** Returns a database with the empty tables of Quartz. */
  TestDatabase database() throws Exception {
    TestDatabase created = TestDatabase.h2();
    // H2 has no type IMAGE any more. The schema for MySQL has the shorter columns.
    created.execute(
        schema("tables_h2.sql").replace("IMAGE", "BLOB").replace("VARCHAR (200)", "VARCHAR (190)"));
    return created;
  }

  /** Returns the length of the columns for names and groups. */
  int column() {
    return 190;
  }

  static String schema(String file) throws IOException {
    try (InputStream schema =
        Scheduler.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/" + file)) {
      return new String(schema.readAllBytes(), UTF_8);
    }
  }

  /** Returns the name of Quartz's JDBC delegate class for this database. */
  String delegate() {
    return "org.quartz.impl.jdbcjobstore.StdJDBCDelegate";
  }

  private void start(boolean useProperties) throws SchedulerException {
    DBConnectionManager.getInstance()
        .addConnectionProvider("test", new Provider(database.source()));
    Properties settings = new Properties();
    settings.setProperty("org.quartz.scheduler.instanceName", "shop");
    settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
    settings.setProperty("org.quartz.threadPool.threadCount", "2");
    settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
    settings.setProperty("org.quartz.jobStore.driverDelegateClass", delegate());
    settings.setProperty("org.quartz.jobStore.dataSource", "test");
    settings.setProperty("org.quartz.jobStore.useProperties", Boolean.toString(useProperties));
    quartz = new StdSchedulerFactory(settings).getScheduler();
  }

  @AfterEach
  void close() throws SchedulerException {
    end.countDown();
    quartz.shutdown(true);
    punctual.close();
    database.close();
  }

  private static JobDetail job(String name) {
    return JobBuilder.newJob(CloseOrder.class)
        .withIdentity(name, "orders")
        .usingJobData("order", name)
        .build();
  }

  private void schedule(JobDetail job, Instant time, ScheduleBuilder<?> schedule)
      throws SchedulerException {
    Trigger trigger =
        TriggerBuilder.newTrigger()
            .withIdentity(job.getKey().getName(), "triggers")
            .usingJobData("try", "1")
            .startAt(Date.from(time))
            .withSchedule(schedule)
            .build();
    Date unused = quartz.scheduleJob(job, trigger);
  }

  private static ScheduleBuilder<?> once() {
    return SimpleScheduleBuilder.simpleSchedule();
  }

  private QuartzImport<byte[]> from(QuartzPayload<byte[]> payloads) {
    return QuartzImport.from(database.source(), "orders").to(queue, payloads);
  }

  @Test
  void run_triggerWithoutRepetition_movesAndDeletesTheJob() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.isClean()).isTrue();
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(queue.find("a").orElseThrow().payload())
        .asString()
        .isEqualTo("{\"order\":\"a\",\"try\":\"1\"}");
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_SIMPLE_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void run_dataAsProperties_needsNoDeserialization() throws Exception {
    quartz.shutdown();
    start(true);
    schedule(job("a"), due, once());

    assertThat(from(QuartzPayloads.json()).run().scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().payload())
        .asString()
        .isEqualTo("{\"order\":\"a\",\"try\":\"1\"}");
  }

  @Test
  void run_serializedDataWithoutPermission_staysWithQuartz() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = from(QuartzPayloads.json()).run();

    assertThat(report.scheduled()).isZero();
    assertThat(report.problems().get(0).reason()).contains("Java serialization");
    assertThat(quartz.getTriggerState(TriggerKey.triggerKey("a", "triggers")))
        .isEqualTo(Trigger.TriggerState.NORMAL);
    assertThat(quartz.deleteJob(job("a").getKey())).isTrue();
  }

  /** Imports while this runs after the importer has taken the job, and before it is marked. */
  private ImportReport importWhile(String taken, ThrowingCallable call) {
    QuartzPayload<byte[]> json = QuartzPayloads.jsonOfSerialized();
    AtomicInteger reads = new AtomicInteger();
    return from(job -> {
          // The importer reads a job before it takes the trigger, and again afterwards.
          if (job.name().equals(taken) && reads.incrementAndGet() == 2) {
            assertThatCode(call).doesNotThrowAnyException();
          }
          return json.read(job);
        })
        .run();
  }

  @Test
  void run_everythingDeletedWhileItIsTaken_goesOnWithoutIt() throws Exception {
    schedule(job("a"), due, once());

    ImportReport report = importWhile("a", quartz::clear);

    assertThat(report.scheduled()).isZero();
    assertThat(report.details()).containsEntry("gone", 1L);
    assertThat(queue.find("a")).isEmpty();
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
  }

  /** Quartz must not accept a change that the importer would not obey. */
  @Test
  void run_changedWhileItIsTaken_theChangeIsRefused() throws Exception {
    JobDetail job = job("a");
    TriggerKey key = TriggerKey.triggerKey("a", "triggers");
    schedule(job, due, once());
    Trigger later =
        TriggerBuilder.newTrigger()
            .withIdentity(key)
            .startAt(Date.from(due.plusSeconds(5)))
            .build();

    ImportReport report =
        importWhile(
            "a",
            () -> {
              assertThat(quartz.rescheduleJob(key, later)).isNull();
              assertThat(quartz.unscheduleJob(key)).isFalse();
              assertThat(quartz.deleteJob(job.getKey())).isFalse();
              assertThat(quartz.checkExists(key)).isFalse();
              quartz.pauseAll();
              quartz.resumeAll();
            });

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().dueAt()).isEqualTo(due);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void abort_takenTriggers_haveTheirKeysAndDataAgain() throws Exception {
    JobDetail job = job("a");
    schedule(job, due, once());
    stage();
    assertThat(quartz.checkExists(job.getKey())).isFalse();

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    Trigger back = quartz.getTrigger(TriggerKey.triggerKey("a", "triggers"));
    assertThat(back.getNextFireTime()).isEqualTo(Date.from(due));
    assertThat(back.getJobDataMap()).containsEntry("try", "1");
    assertThat(quartz.getJobDetail(job.getKey()).getJobDataMap()).containsEntry("order", "a");
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM QRTZ_SIMPLE_TRIGGERS")).isEqualTo(1);
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
  }

  @Test
  void abort_triggerScheduledAnewMeanwhile_bothAreKept() throws Exception {
    schedule(job("a"), due, once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    schedule(job("a"), due.plusSeconds(60), once());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    assertThat(quartz.getTriggersOfJob(job("a").getKey()))
        .extracting(Trigger::getNextFireTime)
        .containsExactlyInAnyOrder(Date.from(due), Date.from(due.plusSeconds(60)));
  }

  /** Stages these triggers by an import whose store is away. */
  private void stage() {
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }

  /** The old trigger cannot be moved to the queue, so it stays with the importer. */
  @Test
  void run_scheduledAnewBesideAStagedTrigger_importsTheOthers() throws Exception {
    queue.schedule(Message.of(new byte[] {1}).id("a").dueAt(due.plusSeconds(5)));
    JobDetail job = job("a");
    schedule(job, due, once());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().left()).isEqualTo(1);
    schedule(job, due.plusSeconds(60), once());
    schedule(job("b"), due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("b")).isPresent();
    assertThat(quartz.checkExists(TriggerKey.triggerKey("a", "triggers"))).isTrue();
  }

  @Test
  void abort_anewMeanwhileForTheSecondTime_allAreKept() throws Exception {
    schedule(job("a"), due, once());
    stage();
    schedule(job("a"), due.plusSeconds(60), once());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();
    for (Trigger trigger : quartz.getTriggersOfJob(job("a").getKey())) {
      if (!trigger.getKey().getName().equals("a")) {
        quartz.pauseTrigger(trigger.getKey());
      }
    }
    stage();
    Date unused =
        quartz.scheduleJob(
            TriggerBuilder.newTrigger()
                .withIdentity("a", "triggers")
                .forJob(job("a"))
                .startAt(Date.from(due.plusSeconds(90)))
                .build());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    assertThat(quartz.getTriggersOfJob(job("a").getKey())).hasSize(3);
  }

  @Test
  void abort_groupsPausedMeanwhile_triggerIsPaused() throws Exception {
    schedule(job("a"), due, once());
    stage();
    quartz.pauseAll();

    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();

    TriggerKey key = TriggerKey.triggerKey("a", "triggers");
    assertThat(quartz.getTriggerState(key)).isEqualTo(Trigger.TriggerState.PAUSED);
    quartz.resumeAll();
    assertThat(quartz.getTriggerState(key)).isEqualTo(Trigger.TriggerState.NORMAL);
  }

  private interface BeforeStatement {
    void run(String sql) throws SQLException;
  }

  /** Returns a source, or its connection, that calls this before it prepares a statement. */
  private static <T> T proxy(Class<T> type, T real, BeforeStatement before) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                before.run((String) arguments[0]);
              }
              Object answer = method.invoke(real, arguments);
              return answer instanceof Connection connection
                  ? proxy(Connection.class, connection, before)
                  : answer;
            }));
  }

  @Test
  void run_schedulerInsertsTheLockAtTheSameTime_importsAll() throws Exception {
    schedule(job("a"), due, once());
    String insert = "INSERT INTO QRTZ_LOCKS (SCHED_NAME, LOCK_NAME) VALUES";
    DataSource source =
        proxy(
            DataSource.class,
            database.source(),
            sql -> {
              if (sql.startsWith(insert)) {
                database.execute(insert + " ('shop', 'TRIGGER_ACCESS')");
              }
            });

    ImportReport report =
        QuartzImport.from(source, "orders").to(queue, QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
  }

  /** Rows that an earlier version has staged have the keys of the application. */
  @Test
  void run_rowsStagedUnderTheirOwnKeys_areImported() throws Exception {
    schedule(job("a"), due, once());
    schedule(job("b"), due, once());
    stage();
    String state = database.text("SELECT TRIGGER_STATE FROM QRTZ_TRIGGERS");
    assertThat(from(QuartzPayloads.jsonOfSerialized()).abort().isClean()).isTrue();
    database.execute("UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = '" + state + "'");

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isZero();
    assertThat(database.count("SELECT count(*) FROM QRTZ_JOB_DETAILS")).isZero();
  }

  @Test
  void run_twoTriggersOfAJob_leavesTheSecondWithQuartz() throws Exception {
    schedule(job("a"), due, once());
    Trigger second =
        TriggerBuilder.newTrigger()
            .withIdentity("a2", "triggers")
            .forJob(job("a"))
            .startAt(Date.from(due))
            .build();
    Date unused = quartz.scheduleJob(second);

    assertThat(from(QuartzPayloads.jsonOfSerialized()).dryRun().left()).isEqualTo(1);

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.left()).isEqualTo(1);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS WHERE TRIGGER_STATE = 'WAITING'"))
        .isEqualTo(1);
  }

  @Test
  void run_rowsTakenForADifferentQueue_isRefused() throws Exception {
    schedule(job("a"), due, once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("mails", Codec.bytes());

    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContainingAll("different target", "mails");
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
  }

  @Test
  void run_serializedDataOfOtherClasses_isNeverDeserialized() throws Exception {
    JobDetail job = job("a");
    job.getJobDataMap().put("bomb", new Bomb());
    schedule(job, due, once());

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.left()).isEqualTo(1);
    assertThat(Bomb.exploded).isFalse();
  }

  /** An object whose deserialization sets a flag, so that the test notices it. */
  static final class Bomb implements java.io.Serializable {
    private static final long serialVersionUID = 1L;
    private static volatile boolean exploded;

    private void readObject(java.io.ObjectInputStream in) throws IOException {
      exploded = true;
    }
  }

  @Test
  void run_otherTriggers_areCountedAndStay() throws Exception {
    schedule(job("cron"), due, CronScheduleBuilder.cronSchedule("0 0 12 * * ?"));
    schedule(job("repeating"), due, SimpleScheduleBuilder.repeatHourlyForTotalCount(3));
    schedule(job("paused"), due, once());
    quartz.pauseTrigger(TriggerKey.triggerKey("paused", "triggers"));
    schedule(JobBuilder.newJob(CloseOrder.class).withIdentity("x", "mails").build(), due, once());
    schedule(job("slow"), Instant.now(), once());
    quartz.start();
    await(running);
    schedule(job("kept"), due, once());

    ImportReport dry = from(QuartzPayloads.jsonOfSerialized()).dryRun();
    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(dry.found()).isEqualTo(1);
    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.details())
        .containsEntry("recurring", 2L)
        .containsEntry("running", 1L)
        .containsEntry("paused", 1L)
        .containsEntry("other groups", 1L);
    assertThat(database.count("SELECT count(*) FROM QRTZ_TRIGGERS")).isEqualTo(5);
  }

  @Test
  void run_longestNames_areImportedOrLeft() throws Exception {
    JobDetail job = job("j".repeat(column()));
    String name = "t".repeat(column());
    int longest = column() - "PUNCT_".length();
    for (String group : List.of("g".repeat(longest), "h".repeat(longest + 1))) {
      Trigger trigger =
          TriggerBuilder.newTrigger().withIdentity(name, group).startAt(Date.from(due)).build();
      quartz.scheduleJob(job, Set.of(trigger), true);
    }
    stage();

    ImportReport report = from(QuartzPayloads.jsonOfSerialized()).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.problems()).singleElement().asString().contains("more than " + longest);
    assertThat(queue.find(job.getKey().getName())).isPresent();
  }

  @Test
  void run_durableJob_keepsTheJob() throws Exception {
    JobDetail durable =
        JobBuilder.newJob(CloseOrder.class).withIdentity("a", "orders").storeDurably().build();
    schedule(durable, due, once());

    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
    assertThat(quartz.checkExists(durable.getKey())).isTrue();
  }

  @Test
  void run_storeGone_leavesTriggersThatNoSchedulerFires() throws Exception {
    schedule(job("a"), Instant.now(), once());
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    quartz.start();
    schedule(job("b"), Instant.now(), once());
    while (!RAN.contains("b")) {
      Thread.onSpinWait();
    }
    assertThat(RAN).containsExactly("b");

    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
    assertThat(from(QuartzPayloads.jsonOfSerialized()).run().scheduled()).isEqualTo(1);
    assertThat(queue.claim(1, Duration.ZERO).get(0).id()).isEqualTo("a");
  }
}
