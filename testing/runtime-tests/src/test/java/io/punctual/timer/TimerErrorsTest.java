package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors in tasks, in handlers and in the timer's own work: only a close ends the timer. */
@Timeout(60)
class TimerErrorsTest {
  private static final long DAY_NANOS = Duration.ofDays(1).toNanos();

  /** A constant, because the first use of a lambda needs much stack. */
  private static final Runnable NOTHING = new Nothing();

  private static final class Nothing implements Runnable {
    @Override
    public void run() {}
  }

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @Test
  void failureHandler_throwsTheExceptionThatItWasGiven_timerGoesOn() throws Exception {
    try (Closing timer =
        new Closing(
            WheelTimer.builder()
                .onFailure(
                    (task, failure) -> {
                      failures.add(failure);
                      throw (RuntimeException) failure;
                    }))) {
      timer.run(
          () -> {
            throw new IllegalStateException("seeded");
          });
      timer.requireRunning();
      assertThat(failures).singleElement().isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void task_isSlowAndItsTextThrows_stallIsReportedAndTheTimerGoesOn(boolean endless)
      throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    Runnable slow =
        new Runnable() {
          @Override
          public void run() {
            started.countDown();
            awaitQuietly(release);
          }

          @Override
          public String toString() {
            if (endless) {
              return "endless " + this;
            }
            throw new IllegalStateException("no text");
          }
        };
    try (Closing timer =
        new Closing(
            WheelTimer.builder()
                .stallLimit(Duration.ofNanos(1))
                .onFailure((task, failure) -> failures.add(failure)))) {
      timer.run(slow);
      started.await();
      timer.timer.schedule(0, () -> {});
      assertThat(failures)
          .singleElement()
          .asString()
          .contains("now task " + slow.getClass().getName());
      release.countDown();
      timer.requireRunning();
    }
  }

  /** An application that recurses without end schedules an earlier task at each level. */
  @Test
  void schedule_callerOverflowsItsStack_timerGoesOn() throws Exception {
    try (Closing timer = new Closing(WheelTimer.builder())) {
      for (int round = 0; round < 50; round++) {
        int shift = round;
        Thread thread = new Thread(null, () -> overflow(timer.timer, shift), "overflow", 256 << 10);
        thread.start();
        thread.join();
        timer.requireRunning();
      }
    }
  }

  /** Enough stacked timeouts, behind a task that blocks, make each schedule help the timer. */
  @Test
  void schedule_overflowsItsStackUnderOverload_schedulesNothing() throws Exception {
    int stacked = 4 * SharedWheel.PLACE_THRESHOLD - 1;
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    try (Closing timer = new Closing(WheelTimer.builder().stallLimit(Duration.ofDays(1)))) {
      timer.run(
          () -> {
            started.countDown();
            awaitQuietly(release);
          });
      started.await();
      for (int i = 0; i < stacked; i++) {
        timer.timer.schedule(DAY_NANOS, NOTHING);
      }
      int[] scheduled = {0};
      Thread thread =
          new Thread(
              null, () -> overflowThenSchedule(timer.timer, scheduled), "overflow", 256 << 10);
      thread.start();
      thread.join();
      assertThat(scheduled[0]).isPositive();
      assertThat(timer.timer.close()).hasSize(stacked + scheduled[0]);
    } finally {
      release.countDown();
    }
  }

  /**
   * Schedules a task at each level of an endless recursion, the deepest level first. Counts them in
   * an array, because a call could overflow the stack after the task was scheduled.
   */
  @SuppressWarnings({"InfiniteRecursion", "EmptyCatch"})
  private static void overflowThenSchedule(WheelTimer timer, int[] scheduled) {
    try {
      overflowThenSchedule(timer, scheduled);
    } catch (StackOverflowError expected) {
      // The levels above have more stack.
    }
    try {
      timer.schedule(DAY_NANOS, NOTHING);
      scheduled[0]++;
    } catch (StackOverflowError expected) {
      // The levels above have more stack.
    }
  }

  private static void overflow(WheelTimer timer, int shift) {
    try {
      scheduleEarlier(timer, Duration.ofDays(1).toNanos() - shift);
    } catch (StackOverflowError expected) {
      assertThat(expected).isNotNull();
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int scheduleEarlier(WheelTimer timer, long delayNanos) {
    timer.schedule(delayNanos, () -> {});
    return 1 + scheduleEarlier(timer, delayNanos - 1_000_000);
  }

  @Test
  void ownWork_throwsErrors_areReportedAndTheTimerGoesOn() throws Exception {
    AtomicInteger errors = new AtomicInteger();
    WheelTimer.Builder builder =
        WheelTimer.builder()
            .threadName("timer-with-errors")
            .onFailure((task, failure) -> failures.add(failure))
            .clock(
                () -> {
                  if (Thread.currentThread().getName().equals("timer-with-errors")
                      && errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    throw new OutOfMemoryError("seeded");
                  }
                  return System.nanoTime();
                });
    try (Closing timer = new Closing(builder)) {
      timer.requireRunning();
      errors.set(20);
      timer.requireRunning();
      await().untilAsserted(() -> assertThat(errors).hasValue(0));
      timer.requireRunning();
      assertThat(failures).hasSize(20).hasOnlyElementsOfType(OutOfMemoryError.class);
    }
  }

  /** A handler that runs each task again must not run the timer's loop on its thread. */
  @Test
  void ownWork_throwsAndTheHandlerRunsTheTask_taskEndsAtOnce() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicInteger errors = new AtomicInteger(1);
    WheelTimer.Builder builder =
        WheelTimer.builder()
            .threadName("timer-with-errors")
            .onFailure(
                (task, failure) -> {
                  task.run();
                  ended.countDown();
                })
            .clock(
                () -> {
                  if (isTimerThread() && errors.getAndSet(0) > 0) {
                    throw new OutOfMemoryError("seeded");
                  }
                  return System.nanoTime();
                });
    try (Closing timer = new Closing(builder)) {
      assertThat(ended.await(30, TimeUnit.SECONDS)).as("the task of the report ends").isTrue();
      timer.requireRunning();
    }
  }

  /** With the interrupt status set, the pause after an error would end at once. */
  @Test
  void ownWork_throwsOnAnInterruptedThread_pauseBeginsWithoutTheInterrupt() throws Exception {
    Queue<Boolean> interrupts = new ConcurrentLinkedQueue<>();
    AtomicInteger errors = new AtomicInteger(5);
    WheelTimer.Builder builder =
        WheelTimer.builder()
            .threadName("timer-with-errors")
            .onFailure((task, failure) -> failures.add(failure))
            .clock(
                () -> {
                  if (isTimerThread() && errors.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    interrupts.add(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                    throw new OutOfMemoryError("seeded");
                  }
                  return System.nanoTime();
                });
    try (Closing timer = new Closing(builder)) {
      timer.requireRunning();
      assertThat(interrupts).hasSize(5).containsOnly(false);
    }
  }

  private static boolean isTimerThread() {
    return Thread.currentThread().getName().equals("timer-with-errors");
  }

  @Test
  void awaitTermination_forever_waitsForTheThread() throws Exception {
    WheelTimer timer = WheelTimer.create();
    timer.close();
    assertThat(timer.awaitTermination(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
    assertThatThrownBy(() -> timer.schedule(0, () -> {})).hasMessageContaining("is closed");
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Closing implements AutoCloseable {
    final WheelTimer timer;

    Closing(WheelTimer.Builder builder) {
      timer = builder.build();
    }

    void run(Runnable task) {
      timer.schedule(0, task);
    }

    void requireRunning() throws InterruptedException {
      CountDownLatch ran = new CountDownLatch(1);
      timer.schedule(TimeUnit.MILLISECONDS.toNanos(1), ran::countDown);
      assertThat(ran.await(30, TimeUnit.SECONDS)).as("a later task runs").isTrue();
    }

    @Override
    public void close() {
      timer.close();
    }
  }
}
