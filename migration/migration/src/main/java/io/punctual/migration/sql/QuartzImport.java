package io.punctual.migration.sql;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.internal.ImportTarget;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Imports those jobs of a Quartz group that run once: triggers of the type {@code SimpleTrigger}
 * without repetition, in the state {@code WAITING}. The name of the job becomes the id of the
 * message, and the next fire time its due time. The importer deletes the trigger, and the job
 * unless the job is durable or has further triggers.
 *
 * <pre>{@code
 * ImportReport report =
 *     QuartzImport.from(dataSource, "orders")
 *         .to(punctual.queue("orders", Codec.bytes()), QuartzPayloads.json())
 *         .run();
 * }</pre>
 *
 * <p>All other triggers stay with Quartz. The report counts them: {@code recurring}, {@code
 * running}, {@code paused}, {@code in error}, and {@code other groups}. If the importer reads two
 * such triggers of a job in one step, the second stays, too. If it reads the second in a later
 * step, while the queue has the message of the first, the second is deleted if it is equal;
 * otherwise the report names it, and it stays in the staging until an abort.
 *
 * @param <T> the payload's type
 */
public final class QuartzImport<T> extends SqlImporter<T, QuartzImport<T>> {
  private final String group;
  private String prefix = "QRTZ_";
  private @Nullable String scheduler;

  private QuartzImport(
      DataSource source, String group, TimedQueue<T> queue, QuartzPayload<T> payloads) {
    super(source, queue, bytes -> payloads.read(QuartzJob.of(bytes)));
    this.group = group;
  }

  /** A group of jobs. */
  public static final class Source {
    private final DataSource source;
    private final String group;

    private Source(DataSource source, String group) {
      this.source = Objects.requireNonNull(source, "source");
      this.group = Objects.requireNonNull(group, "group");
    }

    /**
     * Returns an import into this queue, which converts the data of each job with this function;
     * see {@link QuartzPayloads}.
     */
    public <T> QuartzImport<T> to(TimedQueue<T> queue, QuartzPayload<T> payloads) {
      return new QuartzImport<>(source, group, queue, Objects.requireNonNull(payloads, "payloads"));
    }
  }

  /**
   * Names a group of jobs; jobs without a group are in {@code DEFAULT}.
   *
   * @param source the database of Quartz
   */
  public static Source from(DataSource source, String group) {
    return new Source(source, group);
  }

  /**
   * Names a group of jobs in the database at a URL.
   *
   * @param url a {@code jdbc:} URL, whose driver is on the class path
   * @throws IllegalArgumentException if the text is not a {@code jdbc:} URL
   */
  public static Source from(String url, String group) {
    return from(new UrlSource(url), group);
  }

  /** Sets the prefix of the tables; {@code QRTZ_} by default. */
  public QuartzImport<T> tablePrefix(String prefix) {
    this.prefix = Database.checkedName(prefix);
    return this;
  }

  /**
   * Sets the name of the scheduler, {@code org.quartz.scheduler.instanceName}. Required if several
   * schedulers share the tables.
   */
  public QuartzImport<T> scheduler(String name) {
    scheduler = Objects.requireNonNull(name, "name");
    return this;
  }

  @Override
  protected QuartzImport<T> self() {
    return this;
  }

  @Override
  SqlRows rows(Database database, ImportTarget target) {
    return new QuartzRows(database, prefix, schedulerOf(database), group, target);
  }

  private String schedulerOf(Database database) {
    if (scheduler != null) {
      return scheduler;
    }
    List<String> found = QuartzRows.schedulers(database, prefix);
    if (found.size() > 1) {
      throw new PunctualException(
          "Several schedulers share the tables: " + found + "; name the scheduler");
    }
    return found.isEmpty() ? "" : found.get(0);
  }
}
