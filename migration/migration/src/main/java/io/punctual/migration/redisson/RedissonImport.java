package io.punctual.migration.redisson;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.deployment.Deployment;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Imports a Redisson delayed queue, {@code RDelayedQueue}, into a queue of Punctual, while
 * producers and takers may still use Redisson.
 *
 * <pre>{@code
 * ImportReport report =
 *     RedissonImport.from("redis://localhost:6379").queue("orders")
 *         .to(punctual.queue("orders", codec), RedissonPayloads.untypedJson(codec))
 *         .follow(true)
 *         .run();
 * }</pre>
 *
 * <p>Each entry becomes a message with the id {@code redisson-} and the entry's random bytes in
 * hexadecimal, and with the due time of the entry. An importer that dies at any point can be
 * started again: no entry is lost, and the queue receives each entry once. This holds as long as
 * neither Redis nor the store loses confirmed changes, for example in a fail-over. Until the
 * restart, up to a batch of entries is in the staging, where neither Punctual nor Redisson delivers
 * it.
 *
 * <p>A run that follows continues until the delayed queue is empty and no Redisson client
 * subscribes to its channel. The report has these details: {@code current format} and {@code old
 * format}, the entries of each layout; {@code unknown format}; {@code orphans}, the due times
 * without an entry; {@code without due time}, the entries that Redisson would never deliver, which
 * are kept in the list {@code punctual_import_unscored:{queue}}; {@code ready}, the elements of the
 * ready list that were moved. If producers add entries during a dry run, its counts are
 * approximate. A dry run also has {@code duplicates}, the entries with the random bytes of an
 * earlier entry, and {@code staged}, the entries of an unfinished run.
 *
 * <p>An abort puts the staged entries back at the end of the delayed queue. Entries whose messages
 * the queue may already have delivered are imported instead. The details of its report are {@code
 * put back} and {@code without due time}.
 *
 * @param <T> the payload's type
 */
public final class RedissonImport<T> extends Importer<T, RedissonImport<T>> {
  /**
   * The default batch size. Larger batches are faster, but other users of the server then wait
   * longer for each script.
   */
  private static final int BATCH = 200;

  private final String url;
  private final RedissonKeys keys;
  private Orphans orphans = Orphans.IMPORT;
  private ReadyList ready = ReadyList.LEAVE;
  private Duration quiet = Duration.ofSeconds(5);
  private Duration lease = RedisStaging.LEASE;

  private RedissonImport(String url, String name, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(queue, payloads, BATCH);
    this.url = url;
    this.keys = new RedissonKeys(name);
  }

  /** A deployment of Redis. */
  public static final class Server {
    private final String url;

    private Server(String url) {
      this.url = url;
    }

    /**
     * Names the delayed queue, by the name of its destination queue in Redis. If a {@code
     * NameMapper} changes names, this is the changed name.
     */
    public Source queue(String name) {
      return new Source(url, Objects.requireNonNull(name, "name"));
    }
  }

  /** A Redisson delayed queue. */
  public static final class Source {
    private final String url;
    private final String name;

    private Source(String url, String name) {
      this.url = url;
      this.name = name;
    }

    /** Returns an import into this queue, which keeps the bytes of each payload. */
    public RedissonImport<byte[]> to(TimedQueue<byte[]> queue) {
      return to(queue, RedissonPayloads.bytes());
    }

    /**
     * Returns an import into this queue, which converts each payload with this reader.
     *
     * @param payloads converts each payload; see {@link RedissonPayloads}
     */
    public <T> RedissonImport<T> to(TimedQueue<T> queue, PayloadReader<T> payloads) {
      return new RedissonImport<>(url, name, queue, payloads);
    }
  }

  /**
   * Names the Redis deployment that Redisson uses: a URL as for the Redis store, also {@code
   * redis-sentinel:} and {@code redis-cluster:}.
   */
  public static Server from(String url) {
    return new Server(Objects.requireNonNull(url, "url"));
  }

  /** Sets the action for due times without an entry; {@link Orphans#IMPORT} by default. */
  public RedissonImport<T> orphans(Orphans action) {
    orphans = action;
    return this;
  }

  /** Sets the action for the ready list; {@link ReadyList#LEAVE} by default. */
  public RedissonImport<T> ready(ReadyList action) {
    ready = action;
    return this;
  }

  /**
   * Sets how long the queue must be empty and without subscribers before a run that follows ends; 5
   * seconds by default.
   */
  public RedissonImport<T> quietPeriod(Duration quiet) {
    this.quiet = quiet;
    return this;
  }

  /**
   * Sets the time after which the queue of a dead importer is free for other importers; 10 seconds
   * by default.
   */
  public RedissonImport<T> lease(Duration lease) {
    this.lease = RedisStaging.checkedLease(lease);
    return this;
  }

  @Override
  protected RedissonImport<T> self() {
    return this;
  }

  @Override
  @SuppressWarnings("exports")
  protected boolean inSource(ImportContext context, Predicate<ImportSource> work) {
    try (Deployment deployment = open();
        RedisStaging staging = new RedisStaging(deployment, keys.staging(), lease)) {
      staging.acquire(ImportTarget.of(context.queue(), ""));
      return work.test(new RedissonSource(staging, keys, orphans, ready, quiet, context));
    }
  }

  @Override
  @SuppressWarnings("exports")
  protected boolean count(ImportContext context) {
    try (Deployment deployment = open()) {
      new RedissonSurvey(deployment, keys, context).run();
    }
    return !context.isStopped();
  }

  private Deployment open() {
    Deployment deployment = RedisStaging.open(url);
    if (!deployment.isOneServer() && !keys.isOneSlot()) {
      deployment.close();
      throw new PunctualException(
          "The keys of queue '"
              + keys.queue()
              + "' are in different slots of the Cluster, where Redisson can't use the queue"
              + " either; check the name");
    }
    return deployment;
  }
}
