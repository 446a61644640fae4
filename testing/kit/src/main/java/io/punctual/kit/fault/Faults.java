package io.punctual.kit.fault;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The faults of a proxy and its byte counts. A change of a fault takes effect at once, even for
 * bytes that already wait. Thread-safe: {@link #lock} guards the fields of each {@link Way}, and
 * {@link #changed} is signalled at every change.
 */
final class Faults {
  private static final int UNLIMITED = 0;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Direction, Way> ways = new EnumMap<>(Direction.class);

  Faults() {
    for (Direction direction : Direction.values()) {
      ways.put(direction, new Way());
    }
  }

  /** The faults and the byte counts of a direction. */
  private static final class Way {
    boolean swallowing;
    long delayNanos;
    long bytesPerSecond = UNLIMITED;
    long passed;
    long swallowed;
  }

  private Way way(Direction direction) {
    Way way = ways.get(direction);
    if (way == null) {
      throw new AssertionError("Every direction has a state");
    }
    return way;
  }

  @FunctionalInterface
  private interface Change {
    void apply(Way way);
  }

  private void change(Direction direction, Change change) {
    lock.lock();
    try {
      change.apply(way(direction));
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  void swallow(Direction direction) {
    change(direction, way -> way.swallowing = true);
  }

  void delay(Direction direction, long nanos) {
    change(direction, way -> way.delayNanos = nanos);
  }

  void bandwidth(Direction direction, long bytesPerSecond) {
    change(direction, way -> way.bytesPerSecond = bytesPerSecond);
  }

  void heal(Direction direction) {
    change(
        direction,
        way -> {
          way.swallowing = false;
          way.delayNanos = 0;
          way.bytesPerSecond = UNLIMITED;
        });
  }

  boolean isSwallowing(Direction direction) {
    lock.lock();
    try {
      return way(direction).swallowing;
    } finally {
      lock.unlock();
    }
  }

  void countPassed(Direction direction, int bytes) {
    change(direction, way -> way.passed += bytes);
  }

  void countSwallowed(Direction direction, int bytes) {
    change(direction, way -> way.swallowed += bytes);
  }

  long passed(Direction direction) {
    lock.lock();
    try {
      return way(direction).passed;
    } finally {
      lock.unlock();
    }
  }

  long swallowed(Direction direction) {
    lock.lock();
    try {
      return way(direction).swallowed;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the delay has passed for bytes that arrived at {@code arrivedNanos}. */
  void awaitDelay(Direction direction, long arrivedNanos) throws InterruptedException {
    awaitElapsed(arrivedNanos, way(direction), way -> way.delayNanos);
  }

  /**
   * Waits for the time that these bytes need at the current bandwidth, counted from {@code
   * beganNanos}.
   */
  void awaitBandwidth(Direction direction, long beganNanos, int bytes) throws InterruptedException {
    awaitElapsed(
        beganNanos,
        way(direction),
        way -> way.bytesPerSecond == UNLIMITED ? 0 : bytes * 1_000_000_000L / way.bytesPerSecond);
  }

  /** Computes a duration from the current faults of a direction. */
  @FunctionalInterface
  private interface Span {
    long nanos(Way way);
  }

  private void awaitElapsed(long sinceNanos, Way way, Span span) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = sinceNanos + span.nanos(way) - System.nanoTime();
      while (left > 0) {
        long unused = changed.awaitNanos(left);
        left = sinceNanos + span.nanos(way) - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }
}
