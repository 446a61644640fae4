package io.punctual.internal.claim;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.PunctualException;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Baton;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.SessionLostException;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A manual claim. It asks the partitions in sequence until a partition returns messages, even if
 * the wait ends in the meantime. If no partition has a due message, the claim waits in the {@link
 * ClaimLine} of each partition until the wait ends. Messages that arrive after the end of the claim
 * return to the queue. Thread-safe.
 *
 * @param <R> the caller's view of a message
 */
public final class ManualClaim<R> implements Consumers.Member {
  private final Environment env;
  private final Consumers consumers;
  private final ClaimLines lines;
  private final QueuePartitions partitions;
  private final ClaimMode<R> mode;
  private final ClaimCaller caller;
  private final long endNanos;
  private final ClaimResult<R> result;

  /**
   * Completes when the claim has ended, and waits neither for a reply nor for the return of late
   * messages to the queue.
   */
  private final CompletableFuture<@Nullable Void> idle = new CompletableFuture<>();

  @GuardedBy("lock") private List<Asked> asked = List.of();

  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("GuardedBy") // The baton holds the lock when it calls {@link #act}.
  private final Baton baton = new Baton(lock, this::act);

  /** The only partition that the claim asks now; null if the claim awaits no reply. */
  @GuardedBy("lock") private @Nullable Asked busy;

  /** Whether the claim sends no further calls. The executor may complete the result later. */
  @GuardedBy("lock") private boolean ended;

  /** Whether the claim waits for {@link #corrected}, because the partitions are stale. */
  @GuardedBy("lock") private boolean awaitsPartitions;

  public ManualClaim(
      Environment env,
      Consumers consumers,
      ClaimLines lines,
      QueuePartitions partitions,
      ClaimMode<R> mode,
      ClaimCaller caller) {
    this.env = env;
    this.consumers = consumers;
    this.lines = lines;
    this.partitions = partitions;
    this.mode = mode;
    this.caller = caller;
    this.result = new ClaimResult<>(partitions, caller.executor());
    this.endNanos = env.nanoTime() + TimeUnit.MILLISECONDS.toNanos(caller.waitMillis());
  }

  /**
   * Starts the claim. Only the completion of the result delivers messages: if the caller cancels
   * the result first, the messages return to the queue. The caller's executor completes the result.
   */
  public CompletableFuture<List<R>> start() {
    Timeout silence =
        env.timer()
            .schedule(caller.longest(), () -> fail(result.noAnswer(env.lastFailure().get())));
    consumers.add(this);
    askPartitions();
    result.whenDone(
        () -> {
          silence.cancel();
          end();
        });
    actAtTheEnd();
    CompletableFuture<?> unused = idle.whenComplete((nothing, failure) -> consumers.remove(this));
    baton.run();
    return result.future();
  }

  /**
   * Schedules the action at the end of the wait. A claim without a wait needs no timer, because it
   * acts after each reply.
   */
  private void actAtTheEnd() {
    long wait = endNanos - env.nanoTime();
    if (wait > 0) {
      Timeout over = env.timer().schedule(wait, baton::run);
      result.whenDone(over::cancel);
    }
  }

  /** Ends the calls, and gives back the messages that the executor has not delivered. */
  private void end() {
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
    asked().forEach(Asked::leave);
    result.giveBack();
    baton.run();
  }

  private List<Asked> asked() {
    lock.lock();
    try {
      return asked;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      askPartitions();
      baton.run();
    }
  }

  private void askPartitions() {
    List<Asked> now = partitions.all().stream().map(Asked::new).toList();
    List<Asked> before;
    lock.lock();
    try {
      before = asked;
      asked = now;
      awaitsPartitions = false;
    } finally {
      lock.unlock();
    }
    before.forEach(Asked::leave);
    if (hasEnded()) {
      now.forEach(Asked::leave);
    }
  }

  private boolean hasEnded() {
    lock.lock();
    try {
      return ended;
    } finally {
      lock.unlock();
    }
  }

  private void fail(RuntimeException failure) {
    end();
    result.fail(failure);
  }

  private void giveUp() {
    end();
    result.completeEmpty();
  }

  /**
   * Ends the claim. Waits for the reply of a call in flight only if its messages would be lost
   * otherwise, and at most for the time-out of a blocking call.
   */
  @Override
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    giveUp();
    if (!mode.isAtMostOnce()) {
      return CompletableFuture.completedFuture(null);
    }
    Timeout over = env.orNow(env.blockingTimeout(), () -> idle.complete(null));
    return idle.whenComplete((nothing, failure) -> over.cancel());
  }

  @GuardedBy("lock") private void act() {
    if (busy != null) {
      return;
    }
    if (ended) {
      baton.unlocked(() -> idle.complete(null));
      return;
    }
    if (awaitsPartitions) {
      return;
    }
    Optional<Asked> next = asked.stream().filter(each -> !each.wasAsked).findFirst();
    if (next.isPresent()) {
      Asked first = next.get();
      busy = first;
      first.wasAsked = true;
      baton.unlocked(first::ask);
    } else if (endNanos - env.nanoTime() <= 0) {
      baton.unlocked(this::giveUp);
    } else {
      List<Asked> waiting = asked;
      baton.unlocked(() -> waiting.forEach(Asked::awaitHints));
    }
  }

  /** This claim as a member of the line of a partition. The claim's lock guards the state. */
  private final class Asked implements ClaimLine.Member {
    private final PartitionClient partition;
    private final ClaimLine line;
    private boolean wasAsked;

    Asked(PartitionClient partition) {
      this.partition = partition;
      this.line = lines.join(env, partition, kind(), this);
    }

    void ask() {
      line.ask(this);
      if (hasEnded() || !asked().contains(this)) {
        leave();
      }
    }

    void awaitHints() {
      lines.awaitHints(line, partition);
    }

    void leave() {
      lines.leave(line, partition, kind(), this);
    }

    private ClaimLines.Kind kind() {
      return new ClaimLines.Kind(mode.claim(), caller.prefetch());
    }

    @Override
    public int max() {
      return mode.claim().limit();
    }

    @Override
    public boolean reserve() {
      lock.lock();
      try {
        if (busy != null || ended || awaitsPartitions || !wasAsked) {
          return false;
        }
        busy = this;
        return true;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public boolean isWaiting() {
      return !result.isDone() && !hasEnded();
    }

    @Override
    public void answered(Reply.Claimed part, ClaimLease lease) {
      mode.sift(part, lease, rest -> sifted(rest, lease));
    }

    /** Receives a reply without the messages that must wait; asks again if others may be due. */
    private void sifted(Reply.Claimed part, ClaimLease lease) {
      if (part.messages().isEmpty() && part.unreadable().isEmpty()) {
        notAsked(part.untilNextMicros() == 0);
        free();
      } else {
        result.add(
            () -> settle(() -> receive(part, lease)),
            () -> settle(() -> mode.giveBack(part, lease)),
            () -> !isWaiting());
      }
    }

    @Override
    public CompletableFuture<?> giveBack(Reply.Claimed part, ClaimLease lease) {
      return mode.giveBack(part, lease);
    }

    private void settle(Supplier<CompletableFuture<?>> settlement) {
      CompletableFuture<?> settled = CompletableFuture.completedFuture(null);
      try {
        settled = settlement.get();
      } finally {
        CompletableFuture<?> unused = settled.whenComplete((nothing, failure) -> free());
      }
    }

    /** Processes a reply. If that fails, the claim fails, and its messages go back to the queue. */
    private CompletableFuture<?> receive(Reply.Claimed part, ClaimLease lease) {
      ClaimMode.Received<R> received = mode.receive(part, lease);
      Throwable failure = received.failure();
      if (failure == null) {
        return handOver(received);
      }
      fail(
          new PunctualException(
              "Messages of queue '"
                  + partitions.queue()
                  + "' can't be given to the caller; they go back to the queue",
              failure));
      return received.others();
    }

    /**
     * Delivers the messages to the caller. Completes when the claim may continue; if it is at most
     * once, this is after the messages that the caller did not receive were settled.
     */
    private CompletableFuture<?> handOver(ClaimMode.Received<R> received) {
      CompletableFuture<?> settled = received.others().thenRun(() -> settledOthers(received));
      if (received.messages().isEmpty()) {
        return settled;
      }
      if (result.deliver(received.messages())) {
        received.handedOver().run();
        return settled;
      }
      return CompletableFuture.allOf(settled, received.refused().get());
    }

    /**
     * If the reply had messages that the caller must not receive, notes that the partition must be
     * asked again, even if the wait has ended: further messages may be due.
     */
    private void settledOthers(ClaimMode.Received<R> received) {
      notAsked(received.hasOthers());
    }

    private void notAsked(boolean again) {
      lock.lock();
      try {
        wasAsked &= !again;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void withdrawn() {
      free();
    }

    @Override
    public void failed(RuntimeException reason) {
      if (reason instanceof Partition.PartitionCountException) {
        awaitPartitions(this);
      } else if (reason instanceof SessionLostException) {
        mode.unanswered();
      } else {
        fail(StoreFailures.ofQuestion("A claim from queue '" + partitions.queue() + "'", reason));
      }
      free();
    }

    /** Ends the reservation. */
    private void free() {
      lock.lock();
      try {
        if (busy == this) {
          busy = null;
        }
      } finally {
        lock.unlock();
      }
      baton.run();
    }
  }

  private void awaitPartitions(Asked partition) {
    lock.lock();
    try {
      awaitsPartitions = asked.contains(partition);
    } finally {
      lock.unlock();
    }
  }
}
