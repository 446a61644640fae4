package io.punctual.timer;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A timer for millions of timeouts, most of which are cancelled. It keeps the timeouts in a
 * hierarchical timing wheel, like {@link TimingWheel}. Schedule and cancel usually cost the same
 * few instructions with any number of pending timeouts, and never block.
 *
 * <p>Due times are rounded up to a multiple of the tick. So rounding delays a task by at most a
 * tick, and a task never runs early. The timer thread sleeps until exactly the next due time, or
 * indefinitely if there are no timeouts. A new timeout with an earlier due time wakes the thread,
 * and so does upkeep after every few thousand schedules or cancels. A cancelled timeout releases
 * its task at once. It releases its own memory, about 40 bytes, at its due time, or earlier if
 * thousands of timeouts are cancelled. Tasks of the same tick that run on the timer thread start in
 * the order of scheduling.
 *
 * <pre>{@code
 * WheelTimer timer = WheelTimer.builder().threadName("timeouts").build();
 * Timeout timeout = timer.schedule(Duration.ofSeconds(30), connection::close);
 * timeout.cancel();
 * timer.close();
 * }</pre>
 *
 * <p>Tasks run on the timer thread unless the timer has an executor. If a task on the timer thread
 * or the executor itself throws, the failure handler receives the exception, and the timer
 * continues with the next task. If tasks block the timer thread for longer than the stall limit,
 * the failure handler receives a {@link java.util.concurrent.TimeoutException} with the current
 * stack of that thread. The timer notices the stall when a thread schedules a task, or when the
 * tasks end. Without a failure handler, exceptions go to the thread's {@link
 * Thread.UncaughtExceptionHandler}, and stalls to the {@link System.Logger} of this package.
 *
 * <p>Only {@link #close()} ends the timer thread. If an error such as an {@link OutOfMemoryError}
 * interrupts the timer's own work, the failure handler receives the error, with a task that does
 * nothing, and the timer tries again a few milliseconds later. A {@code schedule} that throws an
 * error schedules nothing.
 *
 * <p>Safe for use by many threads.
 */
public final class WheelTimer implements DueTimer {
  private final SharedWheel wheel;
  private final Ticks ticks;
  private final TimerLoop loop;
  private final StallWatch watch;
  private final Thread thread;

  private WheelTimer(Builder builder) {
    ticks = new Ticks(builder.clock, builder.tickNanos);
    FailureReporter failures = new FailureReporter(builder.onFailure);
    watch = new StallWatch(builder.stallNanos, failures);
    loop = new TimerLoop(ticks, builder.executor, failures, watch);
    wheel = loop.wheel();
    thread = builder.threadFactory().newThread(loop);
    thread.start();
  }

  /** Creates and starts a timer with the defaults of {@link Builder}. */
  public static WheelTimer create() {
    return builder().build();
  }

  /** Returns a builder for a timer with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  @Override
  public long nanoTime() {
    return ticks.nanoTime();
  }

  /**
   * {@inheritDoc} Never blocks. A due time more than 292 years after the creation of the timer is
   * reduced to 292 years.
   *
   * @throws RejectedExecutionException if the timer has been closed
   */
  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    Objects.requireNonNull(task, "task");
    rejectIfClosed();
    long elapsed = ticks.elapsed();
    watch.look(elapsed); // first, because it may find no memory
    WheelTimeout timeout = new WheelTimeout(wheel, task, ticks.due(elapsed, delayNanos));
    if (wheel.isUrgent(timeout)) {
      StackRoom.require();
    }
    try {
      wheel.schedule(timeout);
    } catch (StackOverflowError e) {
      // It may have struck after the timeout was stacked. There may be no stack for a call.
      if (timeout.task != null) {
        timeout.task = null;
        throw e;
      }
    }
    if (loop.isClosed() && timeout.cancel()) {
      rejectIfClosed();
    }
    return timeout;
  }

  /**
   * Closes the timer: no further task starts, the timer thread ends, and later calls of {@code
   * schedule} are rejected. A running task continues. May be called repeatedly, also from a task.
   *
   * @return the tasks that were neither started nor cancelled, by due time; an empty list if the
   *     timer was closed before
   */
  public List<Runnable> close() {
    return loop.close();
  }

  /**
   * Waits until the thread of a closed timer has ended, including the task that it was running.
   *
   * @return false if the time elapsed first
   */
  public boolean awaitTermination(Duration time) throws InterruptedException {
    thread.join(Math.max(1, TimeUnit.MILLISECONDS.convert(time)));
    return !thread.isAlive();
  }

  /** The number of timeouts in memory, including cancelled timeouts. */
  int retained() {
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
      throw new RejectedExecutionException("Timer " + thread.getName() + " is closed");
    }
  }

  /** The settings of a {@link WheelTimer}. Not safe for use by many threads. */
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
     * Sets the tick: 1 ns to 1 day, by default 65.536 µs. Due times are rounded up to a multiple of
     * the tick. A power of two in nanoseconds saves a division for each timeout. A coarser tick
     * reduces wake-ups of the timer thread under load; it has no other benefit.
     */
    public Builder tick(Duration tick) {
      if (tick.compareTo(Duration.ofNanos(1)) < 0
          || tick.compareTo(Duration.ofNanos(MAX_TICK_NANOS)) > 0) {
        throw new IllegalArgumentException("tick must be 1 ns to 1 day, was " + tick);
      }
      tickNanos = tick.toNanos();
      return this;
    }

    /** Sets the name of the timer thread, a daemon; by default {@code punctual-timer}. */
    public Builder threadName(String name) {
      threadName = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the factory of the timer thread, which replaces the thread name; {@link #build()} calls
     * it once.
     */
    public Builder threadFactory(ThreadFactory factory) {
      threadFactory = Objects.requireNonNull(factory, "factory");
      return this;
    }

    /**
     * Sets the executor that runs the tasks; by default the timer thread runs them. The timer does
     * not shut the executor down.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Sets the failure handler, which receives exceptions of tasks on the timer thread, rejections
     * by the executor, and stalls. It does not receive exceptions of tasks that the executor runs
     * on other threads. The timer thread calls the handler; for a stall, the thread that detected
     * the stall calls it. The handler must return quickly. By default, exceptions go to the
     * thread's handler for uncaught exceptions, and stalls to the {@link System.Logger} named
     * {@code io.punctual.timer}.
     */
    public Builder onFailure(BiConsumer<? super Runnable, ? super Throwable> handler) {
      onFailure = Objects.requireNonNull(handler, "handler");
      return this;
    }

    /**
     * Sets how long tasks may block the timer thread before the timer reports a stall; by default 1
     * s.
     */
    public Builder stallLimit(Duration limit) {
      if (limit.isNegative() || limit.isZero()) {
        throw new IllegalArgumentException("stall limit must be more than zero, was " + limit);
      }
      stallNanos = TimeUnit.NANOSECONDS.convert(limit);
      return this;
    }

    /** Sets the monotonic clock in nanoseconds. It must advance at the pace of real time. */
    Builder clock(LongSupplier nanoTime) {
      clock = nanoTime;
      return this;
    }

    private ThreadFactory threadFactory() {
      return threadFactory != null ? threadFactory : this::daemon;
    }

    /** Creates a thread that inherits no thread-locals from the thread that creates the timer. */
    private Thread daemon(Runnable loop) {
      Thread thread = new Thread(null, loop, threadName, 0, false);
      // By default such a thread has the system class loader, which cannot find the classes of an
      // application in an application server.
      thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
      thread.setDaemon(true);
      return thread;
    }

    /** Creates and starts the timer. */
    public WheelTimer build() {
      return new WheelTimer(this);
    }
  }
}
