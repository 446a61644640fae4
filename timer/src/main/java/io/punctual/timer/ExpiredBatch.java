package io.punctual.timer;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The expired timeouts that {@link SharedWheel#collect} moved out of the wheel, and the tick of the
 * next collection. The timer thread fills the batch while it holds the wheel's lock, and runs the
 * tasks without the lock. Meanwhile {@link SharedWheel#takeAll} may take the remaining tasks,
 * inside the lock.
 */
final class ExpiredBatch implements Consumer<WheelTimeout> {
  private final @Nullable WheelTimeout[] timeouts;
  private int size;
  private long nextAt;

  ExpiredBatch(int capacity) {
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
    if (!timeout.isEmpty()) {
      timeouts[size++] = timeout;
    }
  }

  /** Passes each task that is still present to {@code runner}, which must not throw. */
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

  /** The tick of the next collection; {@link Long#MIN_VALUE} means immediately. */
  long nextAt() {
    return nextAt;
  }

  void nextAt(long tick) {
    nextAt = tick;
  }
}
