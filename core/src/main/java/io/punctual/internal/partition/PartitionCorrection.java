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
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Replaces a queue's partitions when the client's number of partitions is stale. It asks the store
 * once a second until the store answers. Then it hands the operations of the old sessions, in their
 * order, to the new sessions. Only then do callers see the new partitions, so operations on one id
 * take effect in the order of their submission. If an error strikes, such as a lack of memory, the
 * failed step is taken again after a second. Thread-safe.
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

  /** One replacement of the partitions. Guarded by the correction's monitor. */
  private static final class Round implements Runnable {
    /** Completes when callers see the new partitions. */
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    /** The store's partitions; null while the round has to ask the store. */
    private @Nullable List<Partition> answer;

    /** The new partitions; null before they exist. */
    private @Nullable List<PartitionClient> after;

    /** Whether callers see the new partitions. */
    private boolean moved;

    /** Why the round has failed; null if it has not. */
    private @Nullable Throwable failure;

    Round(@Nullable List<Partition> answer) {
      this.answer = answer;
    }

    /** Notifies the callers that the round has ended. */
    @Override
    public void run() {
      if (failure == null) {
        end.complete(null);
      } else {
        end.completeExceptionally(failure);
      }
    }
  }

  private final Store store;
  private final Environment env;
  private final StoreHealth health;
  private final QueuePartitions partitions;
  private final PartitionClients clients;
  private final Runnable corrected;

  @GuardedBy("this") private @Nullable Round current;

  /** The next round, with the partitions of a look-up that arrived during the current round. */
  @GuardedBy("this") private @Nullable Round next;

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

  /** Whether the next step is not planned, because an error struck here too. */
  private final AtomicBoolean isStranded = new AtomicBoolean();

  private final Runnable goOn = this::goOn;

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
    goOnIfStranded();
    Round started;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(clientClosed());
      }
      if (current != null) {
        return current.end;
      }
      started = new Round(null);
      current = started;
    }
    goOn();
    return started.end;
  }

  /**
   * Replaces the partitions by the store's answer to a look-up, if that is necessary. Waits for the
   * end of a correction in progress, because the correction may have an older answer.
   */
  public CompletableFuture<@Nullable Void> become(List<Partition> answer) {
    goOnIfStranded();
    Round started;
    synchronized (this) {
      if (closed) {
        return CompletableFuture.failedFuture(clientClosed());
      }
      if (current != null) {
        next = next == null ? new Round(answer) : next;
        next.answer = answer;
        return next.end;
      }
      if (answer.size() == partitions.all().size()) {
        return CompletableFuture.completedFuture(null);
      }
      started = new Round(answer);
      current = started;
    }
    goOn();
    return started.end;
  }

  /** Reacts to a session that has learned of a different number of partitions. */
  private void stale(int itsGeneration) {
    goOnIfStranded();
    synchronized (this) {
      if (itsGeneration != generation) {
        return;
      }
      if (current != null && current.after != null) {
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
    List<@Nullable Round> ended;
    synchronized (this) {
      closed = true;
      ended = Arrays.asList(current, next);
    }
    ended.forEach(round -> end(round, clientClosed()));
  }

  private ClientClosedException clientClosed() {
    return new ClientClosedException(
        "The look-up of the partitions of queue '"
            + partitions.queue()
            + "' ended: the client is closed; open a new client");
  }

  private static void end(@Nullable Round round, @Nullable Throwable failure) {
    if (round == null) {
      return;
    }
    round.failure = failure;
    try {
      BlockingGuard.callbacks(round);
    } finally {
      round.run(); // also if there was no memory for the mark
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Takes the next step of the current round. After an error, takes it again after a pause. */
  private void goOn() {
    try {
      takeStep();
    } catch (Throwable e) {
      goOnLater(e);
    }
  }

  private void goOnLater(Throwable error) {
    try {
      @Nullable Timeout unused = env.ifOpen(PAUSE.toNanos(), goOn);
    } catch (Throwable e) {
      isStranded.set(true);
    }
    log.error(
        "An error while the client corrects the number of partitions of queue '{}'; it tries again",
        partitions.queue(),
        error);
  }

  private void goOnIfStranded() {
    if (isStranded.compareAndSet(true, false)) {
      goOn();
    }
  }

  private void takeStep() {
    Round round;
    List<Partition> answer;
    List<PartitionClient> after;
    boolean moved;
    long pause;
    synchronized (this) {
      round = current;
      if (round == null || (closed && round.after == null)) {
        return;
      }
      answer = round.answer;
      after = round.after;
      moved = round.moved;
      pause = nextAskNanos - env.nanoTime();
    }
    if (moved) {
      finish(round);
    } else if (after != null) {
      move(round, after);
    } else if (answer != null) {
      create(round, answer);
    } else if (pause > 0) {
      @Nullable Timeout unused = env.ifOpen(pause, goOn);
    } else {
      ask(round);
    }
  }

  private void ask(Round round) {
    // If the queue was deleted, the store creates it again with this client's number of partitions.
    int believed = partitions.all().size();
    CompletionStage<?> unused =
        StoreCall.stage(() -> store.partitions(partitions.queue(), believed))
            .whenComplete((those, failure) -> answered(round, those, failure));
  }

  private void answered(Round round, @Nullable List<Partition> those, @Nullable Throwable failure) {
    try {
      if (those != null) {
        health.answered(this, partitions.queue());
        synchronized (this) {
          round.answer = those;
        }
      } else if (!isClosed()) {
        notAnswered(round, StoreFailures.unwrap(Objects.requireNonNull(failure)));
      }
    } catch (Throwable e) {
      goOnLater(e);
      return;
    }
    goOn();
  }

  /**
   * Asks again after a pause, because stale sessions depend on the answer. Fails the callers if the
   * store refused the request.
   */
  private void notAnswered(Round round, Throwable failure) {
    health.failed(this, partitions.queue(), failure);
    boolean isRefusal = StoreFailures.isRefusal(failure);
    synchronized (this) {
      current = isRefusal ? new Round(null) : round;
      nextAskNanos = env.nanoTime() + PAUSE.toNanos();
    }
    if (isRefusal) {
      end(round, failure);
    }
  }

  private void create(Round round, List<Partition> answer) {
    int those;
    synchronized (this) {
      those = generation + 1;
    }
    List<PartitionClient> after = clients.of(answer, () -> stale(those));
    int before = partitions.all().size();
    if (after.size() != before) {
      log.info(
          "Queue '{}' has {} partitions, not {}; the client continues with the store's number",
          partitions.queue(),
          after.size(),
          before);
    }
    synchronized (this) {
      generation = those;
      round.after = after;
    }
    goOn();
  }

  /** Hands the operations over; if this is repeated, hands over the rest. */
  private void move(Round round, List<PartitionClient> after) {
    Partition.PartitionCountException why =
        new Partition.PartitionCountException(after.size(), null);
    Function<String, PartitionSession> there = id -> QueuePartitions.of(after, id).session();
    CompletableFuture<?> unused =
        CompletableFuture.allOf(
                partitions.all().stream()
                    .map(partition -> partition.moveTo(there, why))
                    .toArray(CompletableFuture<?>[]::new))
            .whenComplete((nothing, failure) -> moved(round, after));
  }

  private void moved(Round round, List<PartitionClient> after) {
    try {
      synchronized (this) {
        partitions.become(after);
        round.moved = true;
      }
    } catch (Throwable e) {
      goOnLater(e);
      return;
    }
    goOn();
  }

  private void finish(Round round) {
    corrected.run();
    synchronized (this) {
      if (current != round) {
        return;
      }
      current = following();
      next = null;
      again = false;
      nextAskNanos = env.nanoTime() + PAUSE.toNanos();
    }
    end(round, null);
    goOn();
  }

  @GuardedBy("this") private @Nullable Round following() {
    if (closed) {
      return null;
    }
    return next == null && again ? new Round(null) : next;
  }
}
