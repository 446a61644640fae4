package io.punctual.internal.partition;

import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A partition with this client's sessions and its listeners for wake-up hints. If the partition can
 * execute claims and operations at the same time, the client has a second session for the claims of
 * its workers. Thread-safe.
 */
public final class PartitionClient {
  private final Partition partition;
  private final PartitionSession session;
  private final PartitionSession workerClaims;
  private final SafetyCheck safetyCheck;
  private final List<Wakeable> waiting = new CopyOnWriteArrayList<>();
  private @Nullable Registration hints;
  private volatile Runnable onShortClaim = () -> {};

  /**
   * Creates the client of a partition.
   *
   * @param opener opens a session with the partition or with its {@link Partition#claimSessions}
   */
  public PartitionClient(
      Partition partition, Function<Sessions, PartitionSession> opener, SafetyCheck safetyCheck) {
    this.partition = partition;
    session = opener.apply(partition);
    Sessions forClaims = partition.claimSessions();
    workerClaims = forClaims == null ? session : opener.apply(forClaims);
    this.safetyCheck = safetyCheck;
  }

  public Partition partition() {
    return partition;
  }

  /** Returns the session for operations and for the claims of callers. */
  public PartitionSession session() {
    return session;
  }

  /**
   * Claims messages for a worker, and sends the acks that linger at the same time. The callback may
   * run before this returns. Where workers have a session of their own, the claim may be executed
   * before operations that were submitted earlier.
   */
  public void claimForWorker(Call.Claim claim, ClaimCallback callback) {
    if (workerClaims != session) {
      session.flush();
    }
    workerClaims.claim(claim, callback);
  }

  /**
   * Withdraws a claim of a worker that does not belong to a call yet; its callback then does not
   * run. Returns whether there was such a claim.
   */
  public boolean withdrawForWorker(ClaimCallback callback) {
    return workerClaims.withdraw(callback);
  }

  /**
   * Hands all waiting operations to the sessions of the queue's current partitions; see {@link
   * PartitionSession#moveTo}.
   */
  CompletableFuture<?> moveTo(
      Function<String, PartitionSession> there, Partition.PartitionCountException why) {
    return both(each -> each.moveTo(there, why));
  }

  /** Adds a listener for hints and for the safety check. */
  public synchronized void add(Wakeable wakeable) {
    waiting.add(wakeable);
    if (hints == null) {
      safetyCheck.add(this); // first: after an error, the next listener tries both again
      hints = partition.onWakeUp(this::wake);
    }
  }

  public synchronized void remove(Wakeable wakeable) {
    waiting.remove(wakeable);
    if (waiting.isEmpty()) {
      safetyCheck.remove(this);
      Registration closed = hints;
      hints = null; // first, because the close may throw
      if (closed != null) {
        closed.close();
      }
    }
  }

  void wake(long untilNextMicros) {
    BlockingGuard.callbacks(() -> waiting.forEach(wakeable -> wakeable.wake(untilNextMicros)));
  }

  /**
   * Sets the action after a claim that returned too few messages because of the partition's share
   * of the limits.
   */
  void onShortClaim(Runnable action) {
    onShortClaim = action;
  }

  /** Receives the reply to a claim, and runs the action of {@link #onShortClaim} if it applies. */
  public void claimed(Reply.Claimed claimed) {
    safetyCheck.ensure();
    if (claimed.isShort()) {
      onShortClaim.run();
    }
  }

  /** Ends the sessions; see {@link PartitionSession#close}. */
  public CompletableFuture<?> close(Duration time) {
    return both(each -> each.close(time));
  }

  private CompletableFuture<?> both(Function<PartitionSession, CompletableFuture<?>> end) {
    CompletableFuture<?> first = end.apply(session);
    return workerClaims == session
        ? first
        : CompletableFuture.allOf(first, end.apply(workerClaims));
  }
}
