package io.punctual.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.ClientClosedException;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Replaces a queue's partitions when the client's number of partitions is stale. It asks the store
 * once a second until the store answers. Then it hands the operations of the old sessions, in their
 * order, to the new sessions. Only then do callers see the new partitions, so operations on one id
 * take effect in the order of their submission. Thread-safe.
 */
public final class PartitionCorrection {
  private static final Logger log = Logs.of(PartitionCorrection.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);

  /** Creates the client's side of partitions. */
  public interface PartitionClients {
    /**
     * Creates sessions and listeners for partitions.
     *
     * @param onStalePartitionCount runs when a session learns of a different number of partitions
     */
    List<PartitionClient> of(List<Partition> partitions, Runnable onStalePartitionCount);
  }

  /**
   * One replacement of the partitions.
   *
   * @param answer the store's partitions, or null if the correction has to ask the store
   * @param end completes when callers see the new partitions
   */
  private record Round(@Nullable List<Partition> answer, CompletableFuture<@Nullable Void> end) {}

  private final Store store;
  private final Environment env;
  private final StoreHealth health;
  private final QueuePartitions partitions;
  private final PartitionClients clients;
  private final Runnable corrected;

  @GuardedBy("this") private @Nullable Round current;

  /** The next round, with the partitions of a look-up that arrived during the current round. */
  @GuardedBy("this") private @Nullable Round next;

  /** Whether the current round has an answer and hands operations over. */
  @GuardedBy("this") private boolean moving;

  /** Whether a new session was already stale before the end of the current round. */
  @GuardedBy("this") private boolean again;

  /**
   * The number of replacements so far, with which the sessions of each replacement are marked. A
   * report from a session with an earlier number is ignored.
   */
  @GuardedBy("this") private int generation;

  /**
   * The earliest time of the next request, so that the client does not flood a store whose answers
   * contradict each other.
   */
  @GuardedBy("this") private long nextAskNanos;

  @GuardedBy("this") private boolean closed;

  /** Creates a correction; {@code corrected} runs when the queue has new partitions. */
  public PartitionCorrection(
      Store store,
      Environment env,
      StoreHealth health,
      QueuePartitions partitions,
      PartitionClients clients,
      Runnable corrected) {
    this.store = store;
    this.env = env;
    this.health = health;
    this.partitions = partitions;
    this.clients = clients;
    this.corrected = corrected;
    this.nextAskNanos = env.nanoTime();
  }

  /** Gives the queue its first partitions. */
  public void begin(List<Partition> those) {
    partitions.become(clients.of(those, () -> stale(0)));
  }

  /**
   * Asks the store for the number of partitions, unless a correction is in progress. Completes when
   * the queue has the store's partitions. Fails if the store refuses the request or the client is
   * closed; the correction of stale sessions continues after a refusal.
   */
  public CompletableFuture<@Nullable Void> correct() {
    Round started;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(clientClosed());
      }
      if (current != null) {
        return current.end();
      }
      started = new Round(null, new CompletableFuture<>());
      current = started;
    }
    start(started);
    return started.end();
  }

  /**
   * Replaces the partitions by the store's answer to a look-up, if that is necessary. Waits for the
   * end of a correction in progress, because the correction may have an older answer.
   */
  public CompletableFuture<@Nullable Void> become(List<Partition> answer) {
    Round started;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(clientClosed());
      }
      if (current != null) {
        next = new Round(answer, next == null ? new CompletableFuture<>() : next.end());
        return next.end();
      }
      if (answer.size() == partitions.all().size()) {
        return CompletableFuture.completedFuture(null);
      }
      started = new Round(answer, new CompletableFuture<>());
      current = started;
    }
    start(started);
    return started.end();
  }

  /** Reacts to a session that has learned of a different number of partitions. */
  private void stale(int itsGeneration) {
    synchronized (this) {
      if (itsGeneration != generation) {
        return;
      }
      if (moving) {
        again = true;
        return;
      }
    }
    CompletableFuture<?> unused = correct();
  }

  /**
   * Ends a correction in progress. Operations that were not handed over stay in the old sessions,
   * which the client closes.
   */
  public void close() {
    Round ended;
    Round waiting;
    synchronized (this) {
      closed = true;
      ended = current;
      waiting = next;
    }
    fail(ended, clientClosed());
    fail(waiting, clientClosed());
  }

  private ClientClosedException clientClosed() {
    return new ClientClosedException(
        "The look-up of the partitions of queue '"
            + partitions.queue()
            + "' ended: the client is closed; open a new client");
  }

  private static void fail(@Nullable Round round, Throwable failure) {
    if (round != null) {
      BlockingGuard.callbacks(() -> round.end().completeExceptionally(failure));
    }
  }

  private void start(Round round) {
    List<Partition> answer = round.answer();
    if (answer != null) {
      move(answer);
      return;
    }
    long pause = pauseNanos();
    if (pause > 0) {
      env.timer().schedule(pause, this::ask);
    } else {
      ask();
    }
  }

  private synchronized long pauseNanos() {
    return nextAskNanos - env.nanoTime();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private void ask() {
    if (isClosed()) {
      return;
    }
    // If the queue was deleted, the store creates it again with this client's number of partitions.
    int believed = partitions.all().size();
    CompletionStage<?> unused =
        StoreCall.stage(() -> store.partitions(partitions.queue(), believed))
            .whenComplete(
                (those, failure) -> {
                  if (those != null) {
                    health.answered(this, partitions.queue());
                    move(those);
                  } else if (!isClosed()) {
                    notAnswered(StoreFailures.unwrap(failure));
                  }
                });
  }

  /**
   * Asks again after a pause, because stale sessions depend on the answer. Fails the callers if the
   * store refused the request.
   */
  private void notAnswered(Throwable failure) {
    health.failed(this, partitions.queue(), failure);
    env.timer().schedule(PAUSE, this::ask);
    if (StoreFailures.isRefusal(failure)) {
      Round refused;
      synchronized (this) {
        refused = current;
        current = new Round(null, new CompletableFuture<>());
      }
      fail(refused, failure);
    }
  }

  private void move(List<Partition> answer) {
    int those;
    synchronized (this) {
      if (closed) {
        return;
      }
      moving = true;
      those = ++generation;
    }
    List<PartitionClient> before = partitions.all();
    List<PartitionClient> after = clients.of(answer, () -> stale(those));
    if (after.size() != before.size()) {
      log.info(
          "Queue '{}' has {} partitions, not {}; the client continues with the store's number",
          partitions.queue(),
          after.size(),
          before.size());
    }
    Partition.PartitionCountException why =
        new Partition.PartitionCountException(after.size(), null);
    Function<String, PartitionSession> there = id -> QueuePartitions.of(after, id).session();
    CompletableFuture<?> unused =
        CompletableFuture.allOf(
                before.stream()
                    .map(partition -> partition.moveTo(there, why))
                    .toArray(CompletableFuture<?>[]::new))
            .thenRun(() -> moved(after));
  }

  private void moved(List<PartitionClient> after) {
    Round ended;
    Round following;
    synchronized (this) {
      ended = current;
      following = following();
      current = following;
      next = null;
      again = false;
      moving = false;
      nextAskNanos = env.nanoTime() + PAUSE.toNanos();
      partitions.become(after);
    }
    corrected.run();
    if (ended != null) {
      BlockingGuard.callbacks(() -> ended.end().complete(null));
    }
    if (following != null) {
      start(following);
    }
  }

  @GuardedBy("this") private @Nullable Round following() {
    if (closed) {
      return null;
    }
    return next == null && again ? new Round(null, new CompletableFuture<>()) : next;
  }
}
