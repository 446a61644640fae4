package io.punctual.migration.sql;

import io.punctual.TimedQueue;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportTarget;
import java.time.ZoneId;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Imports the executions of a one-time task of db-scheduler. The task instance becomes the id of
 * the message, the task data its payload, and the execution time its due time. Import each task
 * into a queue of its own, because instances of different tasks may have the same id.
 *
 * <pre>{@code
 * ImportReport report =
 *     DbSchedulerImport.from(dataSource, "close-order")
 *         .to(punctual.queue("close-order", codec), data -> mapper.readValue(data, Order.class))
 *         .run();
 * }</pre>
 *
 * <p>An execution that a scheduler runs stays with db-scheduler, under the detail {@code running}
 * of the report; so does the instance {@code recurring} of a recurring task, under {@code
 * recurring}. Do not name a task whose schedule is part of its data: its executions look like the
 * executions of a one-time task. Rows of other tasks are counted under {@code other tasks}.
 *
 * @param <T> the payload's type
 */
public final class DbSchedulerImport<T> extends SqlImporter<T, DbSchedulerImport<T>> {
  private final String task;
  private String table = "scheduled_tasks";
  private @Nullable ZoneId zone;

  private DbSchedulerImport(
      DataSource source, String task, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(source, queue, payloads);
    this.task = task;
  }

  /** A task of db-scheduler. */
  public static final class Source {
    private final DataSource source;
    private final String task;

    private Source(DataSource source, String task) {
      this.source = Objects.requireNonNull(source, "source");
      this.task = Objects.requireNonNull(task, "task");
    }

    /**
     * Returns an import into this queue, which keeps the bytes of the task data; a missing value
     * becomes an empty payload.
     */
    public DbSchedulerImport<byte[]> to(TimedQueue<byte[]> queue) {
      return to(queue, data -> data);
    }

    /**
     * Returns an import into this queue, which converts the data of each execution with this
     * reader.
     *
     * @param payloads reads the bytes of the column {@code task_data}, which are empty if it is
     *     NULL. By default, db-scheduler writes them with Java serialization
     */
    public <T> DbSchedulerImport<T> to(TimedQueue<T> queue, PayloadReader<T> payloads) {
      return new DbSchedulerImport<>(source, task, queue, payloads);
    }
  }

  /**
   * Names a one-time task.
   *
   * @param source the database of db-scheduler
   * @param task the name of the task
   */
  public static Source from(DataSource source, String task) {
    return new Source(source, task);
  }

  /**
   * Names a one-time task in the database at a URL.
   *
   * @param url a {@code jdbc:} URL, whose driver is on the class path
   * @throws IllegalArgumentException if the text is not a {@code jdbc:} URL
   */
  public static Source from(String url, String task) {
    return from(new UrlSource(url), task);
  }

  /** Sets the name of the table; {@code scheduled_tasks} by default. */
  public DbSchedulerImport<T> table(String name) {
    table = Database.checkedName(name);
    return this;
  }

  /**
   * Sets the time zone in which db-scheduler writes execution times: UTC if it has {@code
   * alwaysPersistTimestampInUTC}, otherwise the zone of the application's JVM. Required on MySQL
   * and MariaDB, and if the column {@code execution_time} has a type without a time zone, such as
   * {@code TIMESTAMP} of PostgreSQL; otherwise without an effect. An execution whose local time
   * occurs twice, at the end of daylight saving time, stays with db-scheduler.
   */
  public DbSchedulerImport<T> zone(ZoneId zone) {
    this.zone = Objects.requireNonNull(zone, "zone");
    return this;
  }

  @Override
  protected DbSchedulerImport<T> self() {
    return this;
  }

  @Override
  SqlRows rows(Database database, ImportTarget target) {
    return new DbSchedulerRows(database, table, task, new DueMillis(zone), target);
  }
}
