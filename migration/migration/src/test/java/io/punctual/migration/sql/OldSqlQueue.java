package io.punctual.migration.sql;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import io.punctual.migration.OldQueue;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Live schedulers of db-scheduler and Quartz, on a database that several processes share. */
public abstract class OldSqlQueue implements OldQueue {
  private final ConcurrentLinkedQueue<String> taken = new ConcurrentLinkedQueue<>();
  private final UrlSource source;
  private final TestDatabase database;

  private OldSqlQueue(UrlSource source, String schema) throws SQLException {
    this.source = source;
    Connection keeper = source.getConnection();
    database =
        new TestDatabase(
            source,
            () -> {
              try {
                keeper.close();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    try (Statement statement = keeper.createStatement()) {
      boolean unused = statement.execute(schema);
    }
  }

  /** Returns a queue in a new database in this folder. */
  public static OldQueue of(String layout, Path folder) throws Exception {
    UrlSource source = new UrlSource("jdbc:h2:file:" + folder.resolve("old") + ";AUTO_SERVER=TRUE");
    return layout.equals("QUARTZ") ? new Quartz(source) : new DbScheduler(source);
  }

  @Override
  public final String url() {
    return source.url();
  }

  final long count(String sql) throws SQLException {
    return database.count(sql);
  }

  final void note(String id) {
    taken.add(id);
  }

  @Override
  public final List<String> take() {
    List<String> ids = new ArrayList<>();
    for (String id = taken.poll(); id != null; id = taken.poll()) {
      ids.add(id);
    }
    return ids;
  }

  @Override
  public void close() throws Exception {
    database.close();
  }

  private static final class DbScheduler extends OldSqlQueue {
    private final OneTimeTask<Void> task =
        Tasks.oneTime("close-order")
            .execute(
                (instance, context) -> {
                  note(instance.getId());
                  pause();
                });
    private final Scheduler scheduler;

    DbScheduler(UrlSource source) throws SQLException {
      super(source, DbSchedulerTables.H2);
      scheduler =
          Scheduler.create(source, task).pollingInterval(Duration.ofMillis(100)).threads(1).build();
      scheduler.start();
    }

    /** Waits for a moment. A slow task leaves work for the importer. */
    private static void pause() {
      java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
    }

    @Override
    public void add(String id, long dueMillis) {
      scheduler.schedule(task.instance(id), Instant.ofEpochMilli(dueMillis));
    }

    @Override
    public boolean postpone(String id, long dueMillis) {
      return accepted(
          () -> scheduler.reschedule(task.instanceId(id), Instant.ofEpochMilli(dueMillis)));
    }

    @Override
    public boolean remove(String id) {
      return accepted(
          () -> {
            scheduler.cancel(task.instanceId(id));
            return true;
          });
    }

    /** Returns whether db-scheduler accepts a change; it throws if a task is gone or picked. */
    private static boolean accepted(BooleanSupplier change) {
      try {
        return change.getAsBoolean();
      } catch (RuntimeException refused) {
        return false;
      }
    }

    @Override
    public long size() throws SQLException {
      return count("SELECT count(*) FROM scheduled_tasks");
    }

    @Override
    public long staged() throws SQLException {
      return count(
          "SELECT count(*) FROM scheduled_tasks WHERE picked_by LIKE 'punctual-import-staged-%'");
    }

    @Override
    public long marked() throws SQLException {
      return count(
          "SELECT count(*) FROM scheduled_tasks WHERE picked_by LIKE 'punctual-import-marked-%'");
    }

    @Override
    public void close() throws Exception {
      scheduler.stop();
      super.close();
    }
  }

  /** A job that records its run in the test's current queue. */
  public static final class CloseOrder implements Job {
    private static volatile Quartz queue;

    /** Called by Quartz. */
    public CloseOrder() {}

    @Override
    public void execute(JobExecutionContext context) {
      queue.note(context.getJobDetail().getKey().getName());
      java.util.concurrent.locks.LockSupport.parkNanos(50_000_000);
    }
  }

  private static final class Quartz extends OldSqlQueue {
    private final org.quartz.Scheduler quartz;

    Quartz(UrlSource source) throws Exception {
      super(source, schema());
      CloseOrder.queue = this;
      DBConnectionManager.getInstance()
          .addConnectionProvider(
              "killed",
              new ConnectionProvider() {
                @Override
                public Connection getConnection() throws SQLException {
                  return source.getConnection();
                }

                @Override
                public void shutdown() {}

                @Override
                public void initialize() {}
              });
      Properties settings = new Properties();
      settings.setProperty("org.quartz.scheduler.instanceName", "killed");
      settings.setProperty("org.quartz.threadPool.threadCount", "1");
      settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
      settings.setProperty(
          "org.quartz.jobStore.driverDelegateClass",
          "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
      settings.setProperty("org.quartz.jobStore.dataSource", "killed");
      quartz = new StdSchedulerFactory(settings).getScheduler();
      quartz.start();
    }

    private static String schema() throws Exception {
      try (InputStream schema =
          org.quartz.Scheduler.class.getResourceAsStream(
              "/org/quartz/impl/jdbcjobstore/tables_h2.sql")) {
        return new String(schema.readAllBytes(), UTF_8).replace("IMAGE", "BLOB");
      }
    }

    @Override
    public void add(String id, long dueMillis) throws SchedulerException {
      JobDetail job = JobBuilder.newJob(CloseOrder.class).withIdentity(id).build();
      Trigger trigger =
          TriggerBuilder.newTrigger()
              .withIdentity(id)
              .startAt(Date.from(Instant.ofEpochMilli(dueMillis)))
              .build();
      Date unused = quartz.scheduleJob(job, trigger);
    }

    @Override
    public boolean postpone(String id, long dueMillis) {
      TriggerKey key = TriggerKey.triggerKey(id);
      Trigger later =
          TriggerBuilder.newTrigger()
              .withIdentity(key)
              .startAt(Date.from(Instant.ofEpochMilli(dueMillis)))
              .build();
      try {
        return quartz.rescheduleJob(key, later) != null;
      } catch (SchedulerException refused) {
        return false;
      }
    }

    @Override
    public boolean remove(String id) {
      try {
        return quartz.deleteJob(JobKey.jobKey(id));
      } catch (SchedulerException refused) {
        return false;
      }
    }

    @Override
    public long size() throws SQLException {
      return count("SELECT count(*) FROM QRTZ_TRIGGERS");
    }

    @Override
    public long staged() throws SQLException {
      return count("SELECT count(*) FROM QRTZ_TRIGGERS WHERE TRIGGER_STATE LIKE 'PUNCT_S_%'");
    }

    @Override
    public long marked() throws SQLException {
      return count("SELECT count(*) FROM QRTZ_TRIGGERS WHERE TRIGGER_STATE LIKE 'PUNCT_M_%'");
    }

    @Override
    public void close() throws Exception {
      quartz.shutdown(true);
      super.close();
    }
  }
}
