package io.punctual.migration.redisson;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.RunSettings;
import io.punctual.redis.client.deployment.Deployment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

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
 * <p>Setters change this object and return it. Not safe for use by many threads, except {@link
 * #stop}.
 *
 * @param <T> the payload's type
 */
public final class RedissonImport<T> {
  /**
   * The default batch size. Larger batches are faster, but other users of the server then wait
   * longer for each script.
   */
  private static final int BATCH = 200;

  private final String url;
  private final RedissonKeys keys;
  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;
  private Orphans orphans = Orphans.IMPORT;
  private ReadyList ready = ReadyList.LEAVE;
  private boolean follow;
  private Duration quiet = Duration.ofSeconds(5);
  private Duration lease = RedisStaging.LEASE;
  private int batchSize = BATCH;
  private long maxLeft = RunSettings.MAX_LEFT;
  private Duration patience = RunSettings.PATIENCE;
  private Consumer<ImportReport> progress = report -> {};
  private Consumer<String> waits = reason -> {};
  private volatile boolean stopped;

  private RedissonImport(String url, String name, TimedQueue<T> queue, PayloadReader<T> payloads) {
    this.url = url;
    this.keys = new RedissonKeys(name);
    this.queue = Objects.requireNonNull(queue, "queue");
    this.payloads = Objects.requireNonNull(payloads, "payloads");
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
   * Sets whether the run continues until the delayed queue is empty and no Redisson client
   * subscribes to its channel; false by default.
   */
  public RedissonImport<T> follow(boolean follow) {
    this.follow = follow;
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
    if (lease.toMillis() < 1) {
      throw new IllegalArgumentException("lease must be 1 millisecond or more, but was " + lease);
    }
    this.lease = lease;
    return this;
  }

  /** Sets the number of entries in a step, 1 to 1000; 200 by default. */
  public RedissonImport<T> batchSize(int entries) {
    batchSize = entries;
    return this;
  }

  /**
   * Sets how many entries may fail to be imported; with more, the run stops. 1000 by default. Many
   * such entries are usually the effect of a wrong reader.
   */
  public RedissonImport<T> maxLeft(long entries) {
    maxLeft = entries;
    return this;
  }

  /**
   * Sets how long the run repeats a step that fails for a temporary reason, such as a server that
   * does not answer; a minute by default. A run that follows has no such limit.
   */
  public RedissonImport<T> patience(Duration patience) {
    this.patience = patience;
    return this;
  }

  /**
   * Sets a receiver of the counts. The run's thread calls it about twice a second, and in a dry run
   * after each page of entries.
   */
  public RedissonImport<T> progress(Consumer<ImportReport> progress) {
    this.progress = Objects.requireNonNull(progress, "progress");
    return this;
  }

  /**
   * Sets a receiver of the reasons for which the run waits. The run's thread calls it whenever a
   * step has failed for a temporary reason, with that reason, such as a full store, before it
   * repeats the step.
   */
  public RedissonImport<T> onWait(Consumer<String> reasons) {
    waits = Objects.requireNonNull(reasons, "reasons");
    return this;
  }

  /**
   * Ends a run, a dry run or an abort after its current step. This object can't run again; a new
   * importer can continue the import. Any thread may call this method.
   *
   * <p>An interrupt of its thread also ends a run. If the interrupt ends a wait for the store, the
   * run throws a {@link PunctualException} and returns no report; a later run continues.
   */
  public void stop() {
    stopped = true;
  }

  /**
   * Imports the queue. The report has these details: {@code current format} and {@code old format},
   * the entries of each layout; {@code unknown format}; {@code orphans}, the due times without an
   * entry; {@code without due time}, the entries that Redisson would never deliver, which are kept
   * in the list {@code punctual_import_unscored:{queue}}; {@code ready}, the elements of the ready
   * list that were moved.
   *
   * @throws PunctualException if the deployment or the store cannot be used, or another importer
   *     works on the queue; a later run continues where this run ended
   * @throws IllegalArgumentException if the URL or a setting is wrong
   */
  public ImportReport run() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings =
        new RunSettings(follow, batchSize, maxLeft, patience, progress, waits, () -> stopped);
    return inStaging(
        tally, source -> new ImportRun<>(source, queue, payloads, settings, tally).run());
  }

  /**
   * Counts the entries, and changes neither Redis nor the queue. If producers add entries
   * meanwhile, the counts are approximate. In addition to the details of {@link #run}, the report
   * has {@code duplicates}, the entries with the random bytes of an earlier entry, and {@code
   * staged}, the entries of an unfinished run.
   */
  public ImportReport dryRun() {
    ImportTally tally = new ImportTally(true);
    try (Deployment deployment = open()) {
      new RedissonSurvey(deployment, keys, payloads, tally, progress).run(() -> stopped);
    }
    return tally.report(!stopped);
  }

  /**
   * Undoes an unfinished run: puts the staged entries back at the end of the delayed queue. Entries
   * whose messages the queue may already have delivered are imported instead. The details of the
   * report are {@code put back} and {@code without due time}.
   */
  public ImportReport abort() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings =
        new RunSettings(false, batchSize, maxLeft, patience, progress, waits, () -> stopped);
    return inStaging(
        tally,
        source -> {
          ImportRun<T> run = new ImportRun<>(source, queue, payloads, settings, tally);
          run.releaseMarked();
          for (List<ImportEntry> batch = source.staged(0, batchSize);
              !batch.isEmpty() && !stopped;
              batch = source.staged(0, batchSize)) {
            run.withdrawHeld(batch);
            source.putBack(batch);
            tally.addDetail("put back", batch.size());
          }
          for (long moved = source.putUnscoredBack(batchSize);
              moved > 0 && !stopped;
              moved = source.putUnscoredBack(batchSize)) {
            tally.addDetail("without due time", moved);
          }
          return !stopped;
        });
  }

  private ImportReport inStaging(ImportTally tally, Function<RedissonSource, Boolean> work) {
    try (Deployment deployment = open();
        RedisStaging staging = new RedisStaging(deployment, keys.staging(), lease)) {
      staging.acquire(ImportTarget.of(queue, ""));
      RedissonSource source = new RedissonSource(staging, keys, orphans, ready, quiet, tally);
      boolean complete = work.apply(source);
      return tally.report(complete);
    }
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
