package io.punctual.migration.redisson;

import io.lettuce.core.protocol.CommandType;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.StagedSource;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A Redisson delayed queue as the source of an import. Not thread-safe. */
final class RedissonSource extends StagedSource {
  private static final Script STAGE = RedisStaging.ownedScript(RedissonSource.class, "stage");
  private static final Script READY = RedisStaging.ownedScript(RedissonSource.class, "ready");
  private static final Script PUT_BACK = RedisStaging.ownedScript(RedissonSource.class, "putback");
  private static final Script UNSCORED_BACK =
      RedisStaging.ownedScript(RedissonSource.class, "unscoredback");
  private static final int READY_RANDOM_BYTES = 5;
  private static final byte[] NO = {};

  private final RedissonKeys keys;
  private final Orphans orphans;
  private final ReadyList ready;
  private final Duration quiet;
  private final ImportContext context;
  private final SecureRandom random = new SecureRandom();
  private long quietSince;
  private boolean isQuiet;

  RedissonSource(
      RedisStaging staging,
      RedissonKeys keys,
      Orphans orphans,
      ReadyList ready,
      Duration quiet,
      ImportContext context) {
    super(staging);
    this.keys = keys;
    this.orphans = orphans;
    this.ready = ready;
    this.quiet = quiet;
    this.context = context;
  }

  @Override
  public List<ImportEntry> stage(int max) {
    List<ImportEntry> waiting = ready == ReadyList.MOVE ? stageReady(max) : List.of();
    return waiting.isEmpty() ? stageDelayed(max) : waiting;
  }

  private List<ImportEntry> stageReady(int max) {
    byte[] unique = new byte[READY_RANDOM_BYTES];
    random.nextBytes(unique);
    List<ImportEntry> entries =
        entries(
            RedisStaging.scored(
                staging()
                    .run(
                        READY,
                        List.of(keys.ready(), keys.staged()),
                        List.of(limit(max), limit(RedisStaging.BATCH_BYTES), unique))));
    context.tally().addDetail("ready", entries.size());
    return entries;
  }

  private List<ImportEntry> stageDelayed(int max) {
    ImportTally tally = context.tally();
    while (true) {
      List<@Nullable Object> reply =
          staging()
              .run(
                  STAGE,
                  List.of(keys.list(), keys.dues(), keys.staged(), keys.unscored()),
                  List.of(
                      limit(max),
                      limit(RedisStaging.BATCH_BYTES),
                      orphans == Orphans.IMPORT ? limit(1) : NO));
      long unscored = number(reply.get(0));
      tally.addDetail("without due time", unscored);
      tally.addDetail("orphans", number(reply.get(1)));
      List<ImportEntry> entries = entries(RedisStaging.scored(reply.subList(2, reply.size())));
      if (!entries.isEmpty() || unscored == 0) {
        entries.forEach(
            entry -> tally.addDetail(RedissonEntry.parse(entry.token()).format().text(), 1));
        return entries;
      }
    }
  }

  private static long number(@Nullable Object element) {
    return element instanceof Long number ? number : 0;
  }

  private static byte[] limit(long number) {
    return RedisStaging.bytes(number);
  }

  @Override
  protected List<ImportEntry> entries(List<RedisStaging.Scored> scored) {
    return scored.stream()
        .map(entry -> RedissonEntry.of(entry.entry(), entry.dueMillis()))
        .toList();
  }

  /**
   * Leaves the entries in the staging. A step stages entries without reading them, so a later step
   * would stage the returned entries again.
   */
  @Override
  public List<ImportEntry> giveBack(List<ImportEntry> entries) {
    return List.of();
  }

  /** Puts the entries without a due time back into the list. */
  @Override
  public void beginAbort() {
    long moved = 1;
    while (moved > 0 && !context.isStopped()) {
      byte[] max = limit(context.settings().batchSize());
      moved =
          number(
              staging()
                  .run(UNSCORED_BACK, List.of(keys.list(), keys.unscored()), List.of(max))
                  .get(0));
      if (moved > 0) {
        context.tally().addDetail("without due time", moved);
      }
    }
  }

  /** Puts staged entries back at the end of the delayed queue. */
  @Override
  public int putBack(List<ImportEntry> entries) {
    List<@Nullable Object> unused =
        staging()
            .run(
                PUT_BACK,
                List.of(keys.list(), keys.dues(), keys.staged(), keys.channel()),
                tokens(entries));
    return entries.size();
  }

  /**
   * Returns whether the queue has been empty, without a Redisson client that could add an entry,
   * for the quiet time. A client subscribes to the channel before it adds its first entry. A single
   * look is not enough, because the client has no subscription while it connects again.
   */
  @Override
  public boolean isFinished() {
    boolean quietNow = subscribers() == 0 && isEmpty();
    long now = System.nanoTime();
    if (quietNow && !isQuiet) {
      quietSince = now;
    }
    isQuiet = quietNow;
    return quietNow && now - quietSince >= TimeUnit.NANOSECONDS.convert(quiet);
  }

  private boolean isEmpty() {
    return length(CommandType.LLEN, keys.list()) == 0
        && (orphans == Orphans.SKIP || length(CommandType.ZCARD, keys.dues()) == 0)
        && (ready == ReadyList.LEAVE || length(CommandType.LLEN, keys.ready()) == 0);
  }

  private long length(CommandType command, byte[] key) {
    return number(staging().send(Request.of(command, RedisStaging.text(key))).get(0));
  }

  private long subscribers() {
    return number(
        staging()
            .send(Request.of(CommandType.PUBSUB, "NUMSUB", RedisStaging.text(keys.channel())))
            .get(1));
  }
}
