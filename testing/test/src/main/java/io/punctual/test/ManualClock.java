package io.punctual.test;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock and timer that a test advances: "thirty minutes later" takes a millisecond. Use it as the
 * clock of the memory store and as the timer of the client; then both share its time:
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * try (Punctual punctual =
 *     Punctual.builder()
 *         .store(MemoryStore.builder().clock(clock).build())
 *         .timer(clock)
 *         .build()) {
 *   TimedQueue<Order> timeouts = punctual.queue("order-timeout", codec);
 *   timeouts.work(delivery -> orders.close(delivery.payload()));
 *   timeouts.schedule(order, Duration.ofMinutes(30));
 *
 *   clock.advance(Duration.ofMinutes(30));
 *
 *   await().until(() -> orders.isClosed(order)); // handlers run on separate threads
 * }
 * }</pre>
 *
 * <p>Time does not wait for handlers. While a handler runs on its own thread, an advance beyond its
 * lease expires the lease, as a pause of that length would. So advance to a due time, wait for the
 * handler's effect, and then advance further.
 *
 * <p>The clock has two readings: wall-clock time, {@link #instant}, and monotonic time, {@link
 * #nanoTime}. {@link #advance} moves both and runs the due tasks. {@link #step} and {@link #set}
 * move only the wall clock, as an administrator or a time server does.
 *
 * <p>Safe for use by many threads. Tasks run one at a time.
 */
public final class ManualClock implements InstantSource, DueTimer {
  private static final Instant DEFAULT_START = Instant.parse("2030-01-01T00:00:00Z");
  private static final Comparator<Task> ORDER =
      Comparator.<Task>comparingLong(task -> task.dueNanos)
          .thenComparingLong(task -> task.sequence);

  /**
   * The lock of the thread that runs tasks. Lock order: acquired before the monitor, never while
   * the monitor is held.
   */
  private final ReentrantLock advancing = new ReentrantLock();

  private final Object monitor = new Object();
  private final PriorityQueue<Task> tasks = new PriorityQueue<>(ORDER);
  private Instant instant;
  private long nanos;
  private long scheduled;

  /** Creates a clock that reads the first instant of the year 2030. */
  public ManualClock() {
    this(DEFAULT_START);
  }

  /** Creates a clock that reads {@code start}. */
  public ManualClock(Instant start) {
    this.instant = start;
  }

  @Override
  public Instant instant() {
    synchronized (monitor) {
      return instant;
    }
  }

  @Override
  public long nanoTime() {
    synchronized (monitor) {
      return nanos;
    }
  }

  /**
   * Runs {@code task} on the thread that advances the clock to the due time. A task without delay
   * runs immediately: after the current task if a task schedules it, otherwise on a new thread or
   * on a thread that is advancing the clock.
   */
  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    Task scheduledTask;
    synchronized (monitor) {
      scheduledTask = new Task(saturatedSum(nanos, Math.max(0, delayNanos)), scheduled++, task);
      tasks.add(scheduledTask);
    }
    if (delayNanos <= 0 && !advancing.isHeldByCurrentThread()) {
      Thread thread = new Thread(() -> advance(Duration.ZERO), "punctual-manual-clock");
      thread.setDaemon(true);
      thread.start();
    }
    return scheduledTask;
  }

  /**
   * Advances both readings, and runs all tasks due within the span on the calling thread, in the
   * order of their due times. The clock reads the due time when a task starts. Tasks scheduled
   * meanwhile run too if they are due within the span.
   *
   * @param span zero or more; the sum of all spans is at most 292 years
   * @throws IllegalArgumentException if the span is negative
   * @throws RuntimeException the first exception of a task, thrown after the whole span; exceptions
   *     of further tasks are suppressed in it. Errors are thrown in the same way.
   */
  public void advance(Duration span) {
    if (span.isNegative()) {
      throw new IllegalArgumentException(
          "Time only advances; step(" + span + ") turns the wall clock back");
    }
    advancing.lock();
    try {
      runUntil(Math.addExact(nanoTime(), span.toNanos()));
    } finally {
      advancing.unlock();
    }
  }

  private void runUntil(long targetNanos) {
    Throwable failure = null;
    for (Task task = next(targetNanos); task != null; task = next(targetNanos)) {
      try {
        task.work.run();
      } catch (RuntimeException | Error thrown) {
        failure = firstOf(failure, thrown);
      }
    }
    if (failure instanceof Error error) {
      throw error;
    } else if (failure != null) {
      throw (RuntimeException) failure;
    }
  }

  private static Throwable firstOf(@Nullable Throwable first, Throwable second) {
    if (first == null || first == second) {
      return second;
    }
    first.addSuppressed(second);
    return first;
  }

  /**
   * Moves to the due time of the next task, and removes and returns the task. Moves to the target
   * and returns null if no task is due by then.
   */
  private @Nullable Task next(long targetNanos) {
    synchronized (monitor) {
      Task first = tasks.peek();
      boolean due = first != null && first.dueNanos <= targetNanos;
      moveTo(due ? first.dueNanos : targetNanos);
      return due ? tasks.poll() : null;
    }
  }

  /** Moves to the target, unless a task has already advanced the clock past it. */
  private void moveTo(long targetNanos) {
    if (targetNanos > nanos) {
      instant = instant.plusNanos(targetNanos - nanos);
      nanos = targetNanos;
    }
  }

  /** Moves only the wall clock, forward or back; no task runs. */
  public void step(Duration by) {
    synchronized (monitor) {
      instant = instant.plus(by);
    }
  }

  /** Sets only the wall clock; no task runs. */
  public void set(Instant now) {
    synchronized (monitor) {
      instant = now;
    }
  }

  /** Returns the number of tasks that have neither run nor been cancelled. */
  public int pendingTasks() {
    synchronized (monitor) {
      return tasks.size();
    }
  }

  @Override
  public String toString() {
    synchronized (monitor) {
      return "ManualClock[" + instant + ", " + tasks.size() + " pending tasks]";
    }
  }

  private static long saturatedSum(long now, long delay) {
    long sum = now + delay;
    return sum < now ? Long.MAX_VALUE : sum;
  }

  private final class Task implements Timeout {
    final long dueNanos;
    final long sequence;
    final Runnable work;

    Task(long dueNanos, long sequence, Runnable work) {
      this.dueNanos = dueNanos;
      this.sequence = sequence;
      this.work = work;
    }

    @Override
    public boolean cancel() {
      synchronized (monitor) {
        return tasks.remove(this);
      }
    }
  }
}
