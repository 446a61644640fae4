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
 * execute claims and operations at the same time, the client has a session for each. Thread-safe.
 */
public final class PartitionClient {
  private final Partition partition;
  private final PartitionSession session;
  private final PartitionSession claims;
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
    claims = forClaims == partition ? session : opener.apply(forClaims);
    this.safetyCheck = safetyCheck;
  }

  public Partition partition() {
    return partition;
  }

  /** Returns the session for operations. */
  public PartitionSession session() {
    return session;
  }

  /**
   * Claims messages. The callback may run before this returns. Acks that linger are sent at the
   * same time, but not for claims of at-most-once delivery, whose acks should share a call.
   */
  public void claim(Call.Claim claim, ClaimCallback callback) {
    if (claims != session && !claim.atMostOnce()) {
      session.flush();
    }
    claims.claim(claim, callback);
  }

  /**
   * Withdraws a claim that does not belong to a call yet; its callback then does not run. Returns
   * whether there was such a claim.
   */
  public boolean withdraw(ClaimCallback callback) {
    return claims.withdraw(callback);
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
      hints = partition.onWakeUp(this::wake);
      safetyCheck.add(this);
    }
  }

  public synchronized void remove(Wakeable wakeable) {
    waiting.remove(wakeable);
    if (waiting.isEmpty() && hints != null) {
      safetyCheck.remove(this);
      hints.close();
      hints = null;
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
    return claims == session ? first : CompletableFuture.allOf(first, end.apply(claims));
  }
}
