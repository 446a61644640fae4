package io.punctual.migration.redis;

import io.punctual.TimedQueue;
import io.punctual.migration.Importer;
import io.punctual.migration.PayloadReader;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.RunSettings;
import io.punctual.redis.client.deployment.Deployment;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
public abstract sealed class RedisImporter<T, S extends RedisImporter<T, S>> extends Importer<T, S>
    permits ZsetImport, DelayTableImport, RqueueImport {
  private final String url;
  private Duration lease = RedisStaging.LEASE;
  private boolean anyTime;

  RedisImporter(String url, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(queue, payloads, RunSettings.BATCH);
    this.url = Objects.requireNonNull(url, "url");
  }

  /**
   * Sets the time after which the queue of a dead importer is free for other importers; 10 seconds
   * by default.
   */
  public final S lease(Duration lease) {
    this.lease = RedisStaging.checkedLease(lease);
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

  abstract EntryReader reader(RedisCalls redis);

  abstract ScoreUnit unit();

  /** Returns the options that determine the ids of messages; empty if there are none. */
  String idOptions() {
    return "";
  }

  /** Returns counts about other keys of the old queue, for the report. */
  Map<String, Long> others(RedisCalls redis) {
    return Map.of();
  }

  @Override
  @SuppressWarnings("exports")
  protected final boolean inSource(ImportContext context, Predicate<ImportSource> work) {
    try (Deployment deployment = RedisStaging.open(url)) {
      RedisCalls redis = new RedisCalls(deployment);
      ImportKeys keys = checked(redis);
      try (RedisStaging staging = new RedisStaging(deployment, keys.staging(), lease)) {
        staging.acquire(ImportTarget.of(context.queue(), idOptions()));
        List<EntryPlace> places = places(redis, staging, keys);
        return work.test(
            new RedisSource(staging, places, reader(redis), dues(), context, () -> others(redis)));
      }
    }
  }

  @Override
  @SuppressWarnings("exports")
  protected final boolean count(ImportContext context) {
    try (Deployment deployment = RedisStaging.open(url)) {
      RedisCalls redis = new RedisCalls(deployment);
      ImportKeys keys = checked(redis);
      RedisSurvey survey = new RedisSurvey(reader(redis), dues(), context);
      boolean complete = true;
      for (EntryPlace place : places(redis, null, keys)) {
        complete &= survey.count(place);
      }
      context.tally().detail(ImportRun.STAGED, redis.size("ZCARD", keys.staged()));
      others(redis).forEach(context.tally()::detail);
      return complete;
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
