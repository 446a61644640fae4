package io.punctual.internal;

import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A partition with this client's session and its listeners for wake-up hints. Thread-safe. */
final class PartitionClient {
  private final Partition partition;
  private final PartitionSession session;
  private final SafetyCheck safetyCheck;
  private final List<Wakeable> waiting = new CopyOnWriteArrayList<>();
  private @Nullable Registration hints;

  PartitionClient(Partition partition, PartitionSession session, SafetyCheck safetyCheck) {
    this.partition = partition;
    this.session = session;
    this.safetyCheck = safetyCheck;
  }

  Partition partition() {
    return partition;
  }

  PartitionSession session() {
    return session;
  }

  /** Adds a listener for hints and for the safety check. */
  synchronized void add(Wakeable wakeable) {
    waiting.add(wakeable);
    if (hints == null) {
      hints = partition.onWakeUp(this::wake);
      safetyCheck.add(this);
    }
  }

  synchronized void remove(Wakeable wakeable) {
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

  CompletableFuture<@Nullable Void> close(Duration time) {
    return session.close(time);
  }
}
