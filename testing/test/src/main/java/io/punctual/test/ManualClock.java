package io.punctual.test;

import io.punctual.timer.Timeout;
import io.punctual.timer.Timer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A clock and timer that stand still until they are moved: "thirty minutes later" takes a
 * millisecond. Given to the memory store as its clock and to the client as its timer, it moves both
 * together:
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
 *   await().until(() -> orders.isClosed(order)); // handlers run on threads of their own
 * }
 * }</pre>
 *
 * <p>Time does not wait for handlers: while one runs on its own thread, a longer advance lets its
 * lease run out, as a pause of that length would. So advance to where something comes due, wait for
 * what it does, and go on from there.
 *
 * <p>There are two readings: wall-clock time, {@link #instant}, and monotonic time, {@link
 * #nanoTime}. {@link #advance} moves both and runs the tasks that come due; {@link #step} and
 * {@link #set} move only the wall clock, as an administrator or a time server does.
 *
 * <p>Safe for use by many threads. Tasks run one at a time.
 */
public final class ManualClock implements InstantSource, Timer {
  private static final Instant DEFAULT_START = Instant.parse("2030-01-01T00:00:00Z");
  private static final Comparator<Task> ORDER =
      Comparator.<Task>comparingLong(task -> task.dueNanos)
          .thenComparingLong(task -> task.sequence);

  /** Held by whoever runs tasks; taken before the monitor, and never while that is held. */
  private final ReentrantLock advancing = new ReentrantLock();

  private final Object monitor = new Object();
  private final PriorityQueue<Task> tasks = new PriorityQueue<>(ORDER);
  private Instant instant;
  private long nanos;
  private long scheduled;

  /** Creates one that reads the first instant of the year 2030. */
  public ManualClock() {
    this(DEFAULT_START);
  }

  /** Creates one that reads {@code start}. */
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
   * Runs {@code task} on the thread that advances the clock to its time. One that is due already
   * runs at once: after the task that schedules it, or else on a thread of its own.
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
   * Moves both readings on, and runs the tasks that come due on the calling thread, in the order of
   * their times, each while the clock reads its time. Tasks that these schedule within the span run
   * too. Returns when the whole span has passed.
   *
   * @param span zero or more; all spans together up to 292 years
   * @throws IllegalArgumentException if the span is negative
   * @throws RuntimeException what a task threw, once the whole span has passed; more of these are
   *     suppressed in the first
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

  /** Moves to the next task's time and takes it, or to the target if none comes due until then. */
  private @Nullable Task next(long targetNanos) {
    synchronized (monitor) {
      Task first = tasks.peek();
      boolean due = first != null && first.dueNanos <= targetNanos;
      moveTo(due ? first.dueNanos : targetNanos);
      return due ? tasks.poll() : null;
    }
  }

  /** A task that advanced the clock itself may have left the target behind. */
  private void moveTo(long targetNanos) {
    if (targetNanos > nanos) {
      instant = instant.plusNanos(targetNanos - nanos);
      nanos = targetNanos;
    }
  }

  /** Moves the wall clock alone, forward or back; no task runs. */
  public void step(Duration by) {
    synchronized (monitor) {
      instant = instant.plus(by);
    }
  }

  /** Sets the wall clock alone; no task runs. */
  public void set(Instant now) {
    synchronized (monitor) {
      instant = now;
    }
  }

  /** Returns how many tasks have been neither run nor cancelled. */
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
