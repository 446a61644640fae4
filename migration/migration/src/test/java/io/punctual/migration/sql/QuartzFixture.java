package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** A scheduler of Quartz, which writes the tables of its own schema, and a queue. */
abstract class QuartzFixture {
  static final Set<String> RAN = ConcurrentHashMap.newKeySet();
  static volatile CountDownLatch running = new CountDownLatch(1);
  static volatile CountDownLatch end = new CountDownLatch(1);

  final Instant due = Instant.now().plusSeconds(3600).truncatedTo(ChronoUnit.MILLIS);
  TestDatabase database;
  Scheduler quartz;
  Punctual punctual;
  TimedQueue<byte[]> queue;

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

  static void await(CountDownLatch latch) {
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

  void start(boolean useProperties) throws SchedulerException {
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

  static JobDetail job(String name) {
    return JobBuilder.newJob(CloseOrder.class)
        .withIdentity(name, "orders")
        .usingJobData("order", name)
        .build();
  }

  void schedule(JobDetail job, Instant time, ScheduleBuilder<?> schedule)
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

  static ScheduleBuilder<?> once() {
    return SimpleScheduleBuilder.simpleSchedule();
  }

  QuartzImport<byte[]> from(QuartzPayload<byte[]> payloads) {
    return QuartzImport.from(database.source(), "orders").to(queue, payloads);
  }

  /** Stages the triggers by an import whose store is away. */
  void stage() {
    punctual.close();
    assertThatThrownBy(() -> from(QuartzPayloads.jsonOfSerialized()).patience(Duration.ZERO).run());
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.bytes());
  }
}
