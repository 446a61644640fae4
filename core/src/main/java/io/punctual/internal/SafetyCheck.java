package io.punctual.internal;

import io.punctual.spi.Lane;
import io.punctual.spi.Store;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store now and then how long until each lane that somebody waits for has something due,
 * in one question for all of them, so that a lost hint, or a clock that jumped, costs no more than
 * the interval. Runs only while somebody waits. Thread-safe.
 */
final class SafetyCheck {
  private final Store store;
  private final Environment env;
  private final long intervalNanos;
  private final Set<LaneClient> lanes = new LinkedHashSet<>();
  private @Nullable Timeout next;
  private boolean asking;
  private boolean closed;

  SafetyCheck(Store store, Environment env) {
    this.store = store;
    this.env = env;
    this.intervalNanos = store.safetyCheckInterval().toNanos();
  }

  synchronized void add(LaneClient lane) {
    lanes.add(lane);
    schedule();
  }

  synchronized void remove(LaneClient lane) {
    lanes.remove(lane);
    if (lanes.isEmpty()) {
      stop();
    }
  }

  synchronized void close() {
    closed = true;
    stop();
  }

  private void stop() {
    if (next != null) {
      next.cancel();
      next = null;
    }
  }

  private void schedule() {
    if (!closed && !asking && next == null && !lanes.isEmpty()) {
      next = env.timer().schedule(intervalNanos, this::ask);
    }
  }

  private void ask() {
    List<LaneClient> those;
    synchronized (this) {
      next = null;
      if (closed || lanes.isEmpty()) {
        return;
      }
      asking = true;
      those = new ArrayList<>(lanes);
    }
    List<Lane> asked = those.stream().map(LaneClient::lane).toList();
    CompletionStage<?> unused =
        LaneSession.stage(() -> store.untilNext(asked))
            .whenComplete((untils, failure) -> answered(those, untils));
  }

  private void answered(List<LaneClient> those, long @Nullable [] untils) {
    synchronized (this) {
      asking = false;
      schedule();
    }
    if (untils == null) {
      // The sessions see the same trouble, report it, and try again by themselves.
      return;
    }
    for (int i = 0; i < untils.length; i++) {
      those.get(i).wake(untils[i]);
    }
  }
}
