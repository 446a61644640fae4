package io.punctual.benchmarks.timer;

import io.netty.util.HashedWheelTimer;
import io.punctual.timer.Timeout;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * One timer under measurement, each called the way its users call it.
 *
 * <p>Tasks are whatever the timer takes, made by {@link #task}, so that no adapter is measured.
 */
public interface Contender extends AutoCloseable {
  /** The timers, by the name that stands in the results. */
  enum Kind {
    PUNCTUAL_64US,
    PUNCTUAL_1MS,
    NETTY_1MS,
    EXECUTOR;

    Contender start() {
      return switch (this) {
        case PUNCTUAL_64US -> new Punctual(WheelTimer.builder().threadName(name()).build());
        case PUNCTUAL_1MS ->
            new Punctual(
                WheelTimer.builder().threadName(name()).tick(Duration.ofMillis(1)).build());
        case NETTY_1MS -> new Netty(new HashedWheelTimer(daemon(name()), 1, TimeUnit.MILLISECONDS));
        case EXECUTOR -> new Executor(executor(name()));
      };
    }

    private static ThreadFactory daemon(String name) {
      return runnable -> {
        Thread thread = new Thread(runnable, name);
        thread.setDaemon(true);
        return thread;
      };
    }

    /** One thread, as the others have; cancelled tasks are removed, as the others do it. */
    private static ScheduledThreadPoolExecutor executor(String name) {
      ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, daemon(name));
      executor.setRemoveOnCancelPolicy(true);
      return executor;
    }
  }

  /** Makes a task in the timer's own form. */
  Object task(Runnable task);

  /** Schedules a task that {@link #task} made; returns what {@link #cancel} takes. */
  Object schedule(Object task, long delayNanos);

  /** Returns whether that kept the task from running. */
  boolean cancel(Object timeout);

  @Override
  void close();

  /** Ours. */
  record Punctual(WheelTimer timer) implements Contender {
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
      timer.close();
    }
  }

  /** Netty's hashed wheel. */
  record Netty(HashedWheelTimer timer) implements Contender {
    @Override
    public Object task(Runnable task) {
      return (io.netty.util.TimerTask) timeout -> task.run();
    }

    @Override
    public Object schedule(Object task, long delayNanos) {
      return timer.newTimeout((io.netty.util.TimerTask) task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean cancel(Object timeout) {
      return ((io.netty.util.Timeout) timeout).cancel();
    }

    @Override
    public void close() {
      timer.stop();
    }
  }

  /** The JDK's heap behind a lock. */
  record Executor(ScheduledThreadPoolExecutor executor) implements Contender {
    @Override
    public Object task(Runnable task) {
      return task;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // returned as what it is
    public Object schedule(Object task, long delayNanos) {
      return executor.schedule((Runnable) task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean cancel(Object timeout) {
      return ((Future<?>) timeout).cancel(false);
    }

    @Override
    public void close() {
      executor.shutdownNow();
    }
  }
}
