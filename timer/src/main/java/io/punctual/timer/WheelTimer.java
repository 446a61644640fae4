package io.punctual.timer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A timer over a {@link TimingWheel}, for timeouts by the million of which most are cancelled:
 * schedule and cancel cost the same few instructions whatever is pending, and no thread waits for
 * another to do them.
 *
 * <p>Delays are rounded up to the timer's tick, so a task runs at most a tick late by that, and
 * never early. One thread sleeps until the next task is due, exactly; only a task that is due
 * before that wakes it, and with nothing to do it sleeps for good. A cancelled timeout drops its
 * task at once; its own 40 bytes go a little later. Tasks of the same tick are started in the order
 * of their scheduling.
 *
 * <pre>{@code
 * WheelTimer timer = WheelTimer.builder().threadName("timeouts").build();
 * Timeout timeout = timer.schedule(Duration.ofSeconds(30), connection::close);
 * timeout.cancel();
 * timer.close();
 * }</pre>
 *
 * <p>Tasks run on the timer's thread unless it is given an executor. What a task (or the executor)
 * throws goes to the failure handler, and the other tasks go on. A task that holds the thread up
 * for longer than the stall limit is reported there too, as a {@link
 * java.util.concurrent.TimeoutException} with the stack that the thread has then: when it ends, or
 * as soon as anybody schedules. Without a failure handler, exceptions go to the thread's {@link
 * Thread.UncaughtExceptionHandler}, and stalls to the {@link System.Logger} of this package.
 *
 * <p>Safe for use by many threads.
 */
public final class WheelTimer implements Timer {
  private final SharedWheel wheel;
  private final Ticks ticks;
  private final TimerLoop loop;
  private final StallWatch watch;
  private final Thread thread;

  private WheelTimer(Builder builder) {
    ticks = new Ticks(builder.clock, builder.tickNanos);
    Failures failures = new Failures(builder.onFailure);
    watch = new StallWatch(builder.stallNanos, failures);
    loop = new TimerLoop(ticks, builder.executor, failures, watch);
    wheel = loop.wheel();
    thread = builder.threadFactory().newThread(loop);
    thread.start();
  }

  /** A timer with the defaults of {@link Builder}. */
  public static WheelTimer create() {
    return builder().build();
  }

  /** A timer to be made to measure. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public long nanoTime() {
    return ticks.nanoTime();
  }

  /**
   * {@inheritDoc} Never waits for another thread. A delay that would end more than 292 years after
   * the timer was made ends then.
   *
   * @throws RejectedExecutionException if the timer has been closed
   */
  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    Objects.requireNonNull(task, "task");
    rejectIfClosed();
    long elapsed = ticks.elapsed();
    WheelTimeout timeout = new WheelTimeout(wheel, task, ticks.due(elapsed, delayNanos));
    wheel.schedule(timeout);
    if (loop.isClosed() && timeout.cancel()) {
      rejectIfClosed();
    }
    watch.look(elapsed);
    return timeout;
  }

  /**
   * Ends the timer: no task starts any more, its thread ends, and to schedule is rejected. A task
   * that is running goes on. Safe to call more than once and from a task.
   *
   * @return the tasks that were neither started nor cancelled, in the order of their time; nothing
   *     when the timer was closed before
   */
  public List<Runnable> close() {
    return loop.close();
  }

  /**
   * Waits until the thread of a closed timer has ended, and with it the task that was running on
   * it.
   *
   * @return false if the time ran out first
   */
  public boolean awaitTermination(Duration time) throws InterruptedException {
    thread.join(Math.max(1, time.toMillis()));
    return !thread.isAlive();
  }

  /** How many timeouts are in memory, cancelled ones included. */
  int held() {
    return wheel.size();
  }

  boolean isAsleep() {
    return loop.isAsleep();
  }

  long wakeUps() {
    return loop.wakeUps();
  }

  private void rejectIfClosed() {
    if (loop.isClosed()) {
      throw new RejectedExecutionException("timer " + thread.getName() + " is closed");
    }
  }

  /** What a {@link WheelTimer} is made of. Not safe for use by many threads. */
  public static final class Builder {
    private static final long DEFAULT_TICK_NANOS = 1 << 16;
    private static final long MAX_TICK_NANOS = Duration.ofDays(1).toNanos();

    private long tickNanos = DEFAULT_TICK_NANOS;
    private long stallNanos = Duration.ofSeconds(1).toNanos();
    private String threadName = "punctual-timer";
    private @Nullable ThreadFactory threadFactory;
    private Executor executor = Runnable::run;
    private @Nullable BiConsumer<? super Runnable, ? super Throwable> onFailure;
    private LongSupplier clock = System::nanoTime;

    private Builder() {}

    /**
     * What delays are rounded up to: one nanosecond to one day, by default 65.536 µs. A power of
     * two in nanoseconds saves a division for each timeout. Coarser ticks let the thread wake less
     * often under load; they save nothing else.
     */
    public Builder tick(Duration tick) {
      if (tick.compareTo(Duration.ofNanos(1)) < 0
          || tick.compareTo(Duration.ofNanos(MAX_TICK_NANOS)) > 0) {
        throw new IllegalArgumentException("tick must be 1 ns to 1 day, was " + tick);
      }
      tickNanos = tick.toNanos();
      return this;
    }

    /** The name of the timer's thread, a daemon; by default {@code punctual-timer}. */
    public Builder threadName(String name) {
      threadName = Objects.requireNonNull(name, "name");
      return this;
    }

    /** Makes the timer's thread instead, name and all; asked once, by {@link #build()}. */
    public Builder threadFactory(ThreadFactory factory) {
      threadFactory = Objects.requireNonNull(factory, "factory");
      return this;
    }

    /** Runs the tasks; by default the timer's thread does. The caller's to shut down. */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Is told of what goes wrong with a task: what it threw, that the executor rejected it, or that
     * it has held the timer's thread up. Called on the timer's thread, or for a stall on the one
     * that noticed; must be quick. By default the thread's handler for uncaught exceptions, and for
     * stalls the {@link System.Logger} named {@code io.punctual.timer}.
     */
    public Builder onFailure(BiConsumer<? super Runnable, ? super Throwable> handler) {
      onFailure = Objects.requireNonNull(handler, "handler");
      return this;
    }

    /** How long tasks may hold the timer's thread up before it is reported; by default 1 s. */
    public Builder stallLimit(Duration limit) {
      if (limit.isNegative() || limit.isZero()) {
        throw new IllegalArgumentException("stall limit must be more than zero, was " + limit);
      }
      stallNanos = limit.toNanos();
      return this;
    }

    /** The monotonic clock, in nanoseconds; its pace must be real. */
    Builder clock(LongSupplier nanoTime) {
      clock = nanoTime;
      return this;
    }

    private ThreadFactory threadFactory() {
      return threadFactory != null ? threadFactory : this::daemon;
    }

    /** Inherits no thread-locals of the thread that happens to create the timer. */
    private Thread daemon(Runnable loop) {
      Thread thread = new Thread(null, loop, threadName, 0, false);
      thread.setDaemon(true);
      return thread;
    }

    /** Starts the timer. */
    public WheelTimer build() {
      return new WheelTimer(this);
    }
  }
}
