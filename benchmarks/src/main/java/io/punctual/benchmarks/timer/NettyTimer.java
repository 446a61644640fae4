package io.punctual.benchmarks.timer;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Netty's hashed wheel. */
record NettyTimer(HashedWheelTimer timer) implements Contender {
  @Override
  public Object task(Runnable task) {
    return (TimerTask) timeout -> task.run();
  }

  @Override
  public Object schedule(Object task, long delayNanos) {
    return timer.newTimeout((TimerTask) task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public boolean cancel(Object timeout) {
    return ((Timeout) timeout).cancel();
  }

  @Override
  public void close() {
    Set<Timeout> unused = timer.stop();
  }
}
