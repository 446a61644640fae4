package io.punctual.lock.internal.client;

import io.punctual.internal.log.Logs;
import io.punctual.lock.LockCounters;
import io.punctual.lock.LockEvent;
import io.punctual.lock.LockKind;
import io.punctual.lock.LockListener;
import io.punctual.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.slf4j.Logger;

/** Counts the events of a client's locks, and passes them to the listeners. Thread-safe. */
public final class LockEvents {
  private static final Logger log = Logs.of(LockEvents.class);

  private final List<LockListener> listeners;
  private final LongAdder started = new LongAdder();
  private final LongAdder acquired = new LongAdder();
  private final LongAdder notAcquired = new LongAdder();
  private final LongAdder released = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder waitedNanos = new LongAdder();
  private final LongAdder heldNanos = new LongAdder();
  private final LongAdder scripts = new LongAdder();

  LockEvents(List<LockListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void scriptSent() {
    scripts.increment();
  }

  /** Counts the start of an attempt. */
  public void started() {
    started.increment();
  }

  /** Reports an acquisition, after a wait of this length. */
  public void acquired(LockKind kind, String name, long token, long nanos) {
    acquired.increment();
    waitedNanos.add(nanos);
    raise(() -> new LockEvent.Acquired(kind, name, token, Duration.ofNanos(nanos)));
  }

  /** Reports an attempt that ended without the lock. */
  public void notAcquired(LockKind kind, String name, long nanos) {
    notAcquired.increment();
    waitedNanos.add(nanos);
    raise(() -> new LockEvent.NotAcquired(kind, name, Duration.ofNanos(nanos)));
  }

  /** Reports a release of a lock that was held for this time. */
  public void released(LockKind kind, String name, long nanos, ReleaseOutcome outcome) {
    released.increment();
    heldNanos.add(nanos);
    raise(() -> new LockEvent.Released(kind, name, Duration.ofNanos(nanos), outcome));
  }

  /** Reports the loss of a lock that was held for this time. */
  public void lost(LockKind kind, String name, long token, long nanos, String reason) {
    lost.increment();
    heldNanos.add(nanos);
    raise(() -> new LockEvent.Lost(kind, name, token, Duration.ofNanos(nanos), reason));
  }

  private void raise(Supplier<LockEvent> event) {
    if (listeners.isEmpty()) {
      return;
    }
    LockEvent raised = event.get();
    for (LockListener listener : listeners) {
      try {
        listener.on(raised);
      } catch (Throwable e) {
        log.warn("A lock listener failed at {}; fix the listener", raised, e);
      }
    }
  }

  /** Returns the counters since the client was opened. */
  public LockCounters counters() {
    long got = acquired.sum();
    long ended = notAcquired.sum();
    long back = released.sum();
    long gone = lost.sum();
    return new LockCounters(
        got,
        ended,
        back,
        gone,
        Duration.ofNanos(waitedNanos.sum()),
        Duration.ofNanos(heldNanos.sum()),
        Math.max(0, got - back - gone),
        Math.max(0, started.sum() - got - ended),
        scripts.sum());
  }
}
