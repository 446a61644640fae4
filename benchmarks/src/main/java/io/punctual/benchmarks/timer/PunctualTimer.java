package io.punctual.benchmarks.timer;

import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.util.List;

/** Punctual's wheel timer. */
record PunctualTimer(WheelTimer timer) implements Contender {
  @Override
  public Object task(Runnable task) {
    return task;
  }

  @Override
  public Object schedule(Object task, long delayNanos) {
    return timer.schedule(delayNanos, (Runnable) task);
  }

  @Override
  public boolean cancel(Object timeout) {
    return ((Timeout) timeout).cancel();
  }

  @Override
  public void close() {
    List<Runnable> unused = timer.close();
  }
}
