package io.punctual.memory;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.Cursor;
import io.punctual.embedded.DueHistogram;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PageSearch;
import io.punctual.embedded.Purge;
import io.punctual.embedded.StateCounts;
import io.punctual.embedded.WakeUps;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.WakeUp;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A partition in memory. Calls and requests run on the caller's thread under the partition's lock,
 * and return a complete stage. Listeners are called without the lock.
 *
 * <p>Browse, counts, forecast and purge look at every message of the partition, in steps of {@link
 * PartitionGuard#STEP}; other callers can take the lock between two steps. Safe for use by many
 * threads.
 */
final class MemoryPartition implements Partition {
  private static final long NO_HINT = -1;

  private final MemoryQueue queue;
  private final int index;
  private final int partitions;
  private final InstantSource clock;
  private final PartitionGuard guard = new PartitionGuard();
  private final WakeUps wakeUps = new WakeUps();

  /** The messages. A deletion of the queue replaces this object, with the lock held. */
  private volatile PartitionState state;

  private volatile MemoryCalls calls;

  /** Whether the queue has learned that it exists. Guarded by the lock. */
  private boolean begun;

  /** Whether the queue keeps this partition in memory. Guarded by the lock. */
  private boolean kept;

  MemoryPartition(MemoryQueue queue, int index, int partitions, InstantSource clock) {
    this.queue = queue;
    this.index = index;
    this.partitions = partitions;
    this.clock = clock;
    state = newState(queue.lastToken());
    calls = new MemoryCalls(state);
  }

  private PartitionState newState(long lastToken) {
    EngineTime now = now();
    return new PartitionState(now.millis(), lastToken, new ClaimLimits(partitions, now.micros()));
  }

  @Override
  public String queue() {
    return queue.name();
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return look(
        () -> {
          calls.sessions().open(session, replaces);
          return null;
        });
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return change(now -> calls.answer(call, now));
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return look(
        () -> {
          calls.sessions().close(session);
          return null;
        });
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return look(
        () -> {
          long nowMillis = now().millis();
          return Optional.ofNullable(state.find(id))
              .filter(item -> !state.items().isForgotten(item.slot, nowMillis))
              .map(item -> item.toEntry(nowMillis));
        });
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    return stage(
        () -> {
          require(limit >= 1 && limit <= MAX_PAGE, "A page has 1 to " + MAX_PAGE + " messages");
          ItemTable items = state.items();
          Cursor after = Cursor.parse(cursor, query.newestFirst());
          PageSearch<Item> search = new PageSearch<>(items, query, after, limit, now().millis());
          guard.inSteps(guard.inside(items::end), search);
          return guard.inside(search::page);
        });
  }

  @Override
  public String cursorAfter(EntryQuery query, Entry entry) {
    return Cursor.after(query, entry).toString();
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return stage(
        () -> {
          ItemTable items = state.items();
          StateCounts counts = new StateCounts(items, now().millis());
          guard.inSteps(guard.inside(items::end), counts);
          return guard.inside(
              () -> counts.counts(state.isPaused(), state.pauseNote(), state.limits().limits()));
        });
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return stage(
        () -> {
          require(widthMillis >= 1, "A span of a forecast is 1 ms or more");
          require(
              buckets >= 1 && buckets <= MAX_BUCKETS,
              "A forecast has 1 to " + MAX_BUCKETS + " spans");
          ItemTable items = state.items();
          DueHistogram histogram = new DueHistogram(items, fromMillis, widthMillis, buckets);
          guard.inSteps(guard.inside(items::end), histogram);
          return histogram.counts();
        });
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return change(
        now -> {
          state.pause(paused, note);
          return null;
        });
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return change(
        now -> {
          state.limit(limits);
          return null;
        });
  }

  @Override
  public CompletionStage<Optional<LimitUse>> limitUse() {
    return look(() -> state.limitUse(now()));
  }

  @Override
  public CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return change(
        now -> {
          state.limits().move(expected, next, now);
          return state.limitUse(now);
        });
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    return stage(
        () -> {
          PartitionState purged = state;
          Purge purge =
              guard.inside(
                  () ->
                      purged
                          .purges()
                          .begin(
                              new MemoryTable(purged), Set.copyOf(states), () -> now().millis()));
          guard.inSteps(guard.inside(purged.items()::end), purge);
          return guard.inside(
              () -> {
                keepOrDrop();
                return purge.end();
              });
        });
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    return wakeUps.add(listener, this);
  }

  /** The time until there is a message to claim, as in {@link Reply.Claimed#untilNextMicros}. */
  long untilNextMicros() {
    return guard.inside(
        () -> {
          EngineTime now = now();
          return state.limits().until(state.earliest(now), now);
        });
  }

  /** Removes some expired remembered ids. */
  void forgetExpired() {
    boolean unused =
        guard.inside(
            () -> {
              calls.forget(now());
              keepOrDrop();
              return true;
            });
  }

  /**
   * Tells the queue whether this partition has contents, after a change. Called with the lock held.
   */
  private void keepOrDrop() {
    if (state.isUsed() && !begun) {
      queue.begin();
      begun = true;
    }
    boolean keep = state.hasContents();
    if (keep && !kept) {
      queue.keep(index, this);
    } else if (!keep && kept) {
      queue.drop(index, state.lastToken());
    }
    kept = keep;
  }

  /** Deletes a queue if it holds no messages and no remembered ids. */
  static DeleteQueueOutcome delete(MemoryQueue queue) {
    boolean[] existed = {false};
    boolean removed = removeAll(queue, 0, existed);
    return !removed
        ? DeleteQueueOutcome.NOT_EMPTY
        : existed[0] ? DeleteQueueOutcome.DELETED : DeleteQueueOutcome.NOT_FOUND;
  }

  /**
   * Resets the partitions from {@code index} on if all of them are empty, and returns whether they
   * were. The recursion acquires the locks of all these partitions, one inside the other, before it
   * resets any partition.
   */
  private static boolean removeAll(MemoryQueue queue, int index, boolean[] existed) {
    if (index == queue.partitions().size()) {
      existed[0] = queue.exists();
      queue.end();
      return true;
    }
    MemoryPartition partition = queue.partitions().get(index);
    return partition.guard.inside(
        () -> {
          if (!partition.state.isEmpty(partition.now().millis())
              || !removeAll(queue, index + 1, existed)) {
            return false;
          }
          if (existed[0]) {
            partition.state = partition.newState(partition.state.lastToken());
            partition.calls = new MemoryCalls(partition.state);
            partition.begun = false;
            partition.keepOrDrop();
          }
          return true;
        });
  }

  void close() {
    guard.close();
  }

  private EngineTime now() {
    return EngineTime.of(clock.instant());
  }

  private <T extends @Nullable Object> CompletionStage<T> look(Supplier<T> look) {
    return stage(() -> guard.inside(look));
  }

  /**
   * Makes a change, and then notifies the listeners if a client should now claim earlier than
   * before the change. An error can strike between the operations of a call, so the listeners are
   * notified also after an error.
   */
  private <T extends @Nullable Object> CompletionStage<T> change(Function<EngineTime, T> change) {
    return stage(
        () -> {
          StackRoom.require();
          long[] hint = {NO_HINT};
          try {
            return guard.inside(
                () -> {
                  EngineTime now = now();
                  long before = state.earliest(now);
                  try {
                    return changed(change, now);
                  } finally {
                    long after = state.earliest(now);
                    hint[0] = after < before ? now.until(after) : NO_HINT;
                  }
                });
          } finally {
            if (hint[0] != NO_HINT) {
              wakeUps.send(hint[0]);
            }
          }
        });
  }

  private <T extends @Nullable Object> T changed(Function<EngineTime, T> change, EngineTime now) {
    try {
      return change.apply(now);
    } finally {
      keepOrDrop();
    }
  }

  private static <T extends @Nullable Object> CompletionStage<T> stage(Supplier<T> action) {
    try {
      return CompletableFuture.completedStage(action.get());
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }
}
