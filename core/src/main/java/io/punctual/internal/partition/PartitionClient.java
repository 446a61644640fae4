package io.punctual.internal.partition;

import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.session.PartitionSession;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A partition with this client's session and its listeners for wake-up hints. Thread-safe. */
public final class PartitionClient {
  private final Partition partition;
  private final PartitionSession session;
  private final SafetyCheck safetyCheck;
  private final List<Wakeable> waiting = new CopyOnWriteArrayList<>();
  private @Nullable Registration hints;
  private volatile Runnable onShortClaim = () -> {};

  public PartitionClient(Partition partition, PartitionSession session, SafetyCheck safetyCheck) {
    this.partition = partition;
    this.session = session;
    this.safetyCheck = safetyCheck;
  }

  public Partition partition() {
    return partition;
  }

  public PartitionSession session() {
    return session;
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

  public CompletableFuture<@Nullable Void> close(Duration time) {
    return session.close(time);
  }
}
