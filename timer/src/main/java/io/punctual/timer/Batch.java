package io.punctual.timer;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link SharedWheel} has handed to its sleeper, and when there will be more. Filled inside
 * the lock, emptied by the sleeper outside; another thread may meanwhile take the tasks, inside.
 */
final class Batch implements Consumer<WheelTimeout> {
  private final @Nullable WheelTimeout[] timeouts;
  private int size;
  private long nextAt;

  Batch(int capacity) {
    timeouts = new WheelTimeout[capacity];
  }

  int capacity() {
    return timeouts.length;
  }

  boolean isEmpty() {
    return size == 0;
  }

  @Override
  public void accept(WheelTimeout timeout) {
    if (!timeout.isAbandoned()) {
      timeouts[size++] = timeout;
    }
  }

  /** Hands each task that nobody has taken to {@code runner}, which must not throw. */
  void runAll(Consumer<Runnable> runner) {
    for (int i = 0; i < size; i++) {
      WheelTimeout timeout = timeouts[i];
      Runnable task = timeout == null ? null : timeout.take();
      timeouts[i] = null;
      if (task != null) {
        runner.accept(task);
      }
    }
    size = 0;
  }

  void takeAll(List<Runnable> tasks) {
    for (WheelTimeout timeout : timeouts) {
      if (timeout != null) {
        timeout.takeTo(tasks);
      }
    }
  }

  /** The tick at which to collect again; {@link Long#MIN_VALUE} for at once. */
  long nextAt() {
    return nextAt;
  }

  void nextAt(long tick) {
    nextAt = tick;
  }
}
