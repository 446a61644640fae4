package io.punctual.migration.redis;

import io.punctual.TimedQueue;
import io.punctual.migration.ImportReport;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.RunSettings;
import io.punctual.redis.client.deployment.Deployment;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An import from keys of Redis. Each entry moves in one atomic step from the old queue into the
 * staging, a sorted set {@code punctual_zset_import:…} in the same slot of a Cluster. Until a run
 * has ended, up to a batch of entries is in the staging, where neither Punctual nor the old queue
 * delivers it.
 *
 * <p>An entry that cannot be imported stays in the old queue, or in a few cases in the staging, and
 * the report names it. A queue has a single importer at a time. A second importer waits until the
 * lease of the first importer has ended, and fails if the first importer still renews it.
 *
 * @param <T> the payload's type
 * @param <S> the type of the importer
 */
public abstract sealed class RedisImporter<T, S extends RedisImporter<T, S>> extends Importer<S>
    permits ZsetImport, DelayTableImport, RqueueImport {
  private final String url;
  private final TimedQueue<T> queue;
  private final PayloadReader<T> payloads;
  private Duration lease = RedisStaging.LEASE;
  private boolean anyTime;

  RedisImporter(String url, TimedQueue<T> queue, PayloadReader<T> payloads) {
    this.url = Objects.requireNonNull(url, "url");
    this.queue = Objects.requireNonNull(queue, "queue");
    this.payloads = Objects.requireNonNull(payloads, "payloads");
  }

  /**
   * Sets the time after which the queue of a dead importer is free for other importers; 10 seconds
   * by default.
   */
  public final S lease(Duration lease) {
    if (lease.toMillis() < 1) {
      throw new IllegalArgumentException("lease must be 1 millisecond or more, but was " + lease);
    }
    this.lease = lease;
    return self();
  }

  /**
   * Sets whether to import entries that are due before the year 2000 or after 2199, too. False by
   * default, because such a due time usually means that the scores have a different unit, for
   * example seconds instead of milliseconds.
   */
  public final S anyTime(boolean anyTime) {
    this.anyTime = anyTime;
    return self();
  }

  /** Returns the keys of the old queue. */
  abstract ImportKeys keys(RedisCalls redis);

  /** Returns the reader of the entries. */
  abstract EntryReader reader(RedisCalls redis);

  /** Returns the unit of the scores. */
  abstract ScoreUnit unit();

  /** Returns the options that determine the ids of messages; empty if there are none. */
  String idOptions() {
    return "";
  }

  /** Adds counts about other keys of the old queue to the report. */
  void details(RedisCalls redis, ImportTally tally) {}

  @Override
  public final ImportReport run() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    BooleanSupplier mustStop = () -> isStopped() || tally.left() > settings.maxLeft();
    return inStaging(
        tally,
        mustStop,
        source -> {
          boolean ended = new ImportRun<>(source, queue, payloads, settings, tally).run();
          return ended && !mustStop.getAsBoolean();
        });
  }

  @Override
  public final ImportReport dryRun() {
    ImportTally tally = new ImportTally(true);
    try (Deployment deployment = RedisStaging.open(url)) {
      RedisCalls redis = new RedisCalls(deployment);
      ImportKeys keys = checked(redis);
      RedisSurvey survey = new RedisSurvey(reader(redis), dues(), new EntryCheck(payloads), tally);
      boolean complete = true;
      for (EntryPlace place : places(redis, null, keys)) {
        complete &= survey.count(place, settings());
      }
      tally.detail("staged", redis.size("ZCARD", keys.staged()));
      details(redis, tally);
      return tally.report(complete);
    }
  }

  @Override
  public final ImportReport abort() {
    ImportTally tally = new ImportTally(false);
    RunSettings settings = settings();
    return inStaging(
        tally,
        this::isStopped,
        source -> {
          ImportRun<T> run = new ImportRun<>(source, queue, payloads, settings, tally);
          run.releaseMarked();
          tally.detail("put back", 0);
          for (List<ImportEntry> batch = source.staged(0, settings.batchSize());
              !batch.isEmpty() && !isStopped();
              batch = source.staged(0, settings.batchSize())) {
            run.withdrawHeld(batch);
            source.putBack(batch);
            tally.addDetail("put back", batch.size());
          }
          return !isStopped();
        });
  }

  private ImportReport inStaging(
      ImportTally tally, BooleanSupplier mustStop, Predicate<RedisSource> work) {
    try (Deployment deployment = RedisStaging.open(url)) {
      RedisCalls redis = new RedisCalls(deployment);
      ImportKeys keys = checked(redis);
      try (RedisStaging staging = new RedisStaging(deployment, keys.staging(), lease)) {
        staging.acquire(ImportTarget.of(queue, idOptions()));
        List<EntryPlace> places = places(redis, staging, keys);
        RedisSource source =
            new RedisSource(
                staging, places, reader(redis), dues(), new EntryCheck(payloads), tally, mustStop);
        boolean complete = work.test(source);
        details(redis, tally);
        return tally.report(complete);
      }
    }
  }

  private ImportKeys checked(RedisCalls redis) {
    ImportKeys keys = keys(redis);
    redis.requireOneSlot(keys.all());
    return keys;
  }

  private DueTimes dues() {
    return new DueTimes(unit(), anyTime, Clock.systemUTC());
  }

  private static List<EntryPlace> places(
      RedisCalls redis, @Nullable RedisStaging staging, ImportKeys keys) {
    List<EntryPlace> places = new ArrayList<>();
    if (keys.list() != null) {
      places.add(new ListPlace(redis, staging, keys, keys.list()));
    }
    if (keys.set() != null) {
      places.add(new SortedSetPlace(redis, staging, keys, keys.set()));
    }
    return places;
  }
}
