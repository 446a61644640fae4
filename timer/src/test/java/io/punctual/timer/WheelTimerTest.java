package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WheelTimerTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Runnable NOTHING = WheelTimerTest::nothing;

  private final List<WheelTimer> timers = new ArrayList<>();
  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

  @AfterEach
  void closeTimers() {
    timers.forEach(WheelTimer::close);
  }

  @Test
  void schedule_delays_runsInOrderAndNeverEarly() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    Queue<Long> early = new ConcurrentLinkedQueue<>();
    for (int millis : new int[] {30, 5, 20, 1, 0, 10}) {
      long due = timer.nanoTime() + Duration.ofMillis(millis).toNanos();
      timer.schedule(
          Duration.ofMillis(millis),
          () -> {
            if (timer.nanoTime() - due < 0) {
              early.add(due);
            }
            events.add(millis);
          });
    }

    assertThat(take(6)).containsExactly(0, 1, 5, 10, 20, 30);
    assertThat(early).isEmpty();
  }

  @Test
  void schedule_clockThatWrapsAround_runsNeverEarly() throws InterruptedException {
    long shift = Long.MAX_VALUE - System.nanoTime() - Duration.ofMillis(5).toNanos();
    WheelTimer timer = start(WheelTimer.builder().clock(() -> System.nanoTime() + shift));
    long start = System.nanoTime();

    timer.schedule(Duration.ofMillis(20), () -> events.add(System.nanoTime() - start));

    assertThat((Long) take()).isGreaterThanOrEqualTo(Duration.ofMillis(20).toNanos());
  }

  @Test
  void schedule_delaysBeyondTheRange_waitInsteadOfOverflowing() {
    WheelTimer timer = start(WheelTimer.builder().tick(Duration.ofNanos(1000)));

    timer.schedule(Long.MAX_VALUE, () -> events.add("max"));
    timer.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> events.add("seconds"));
    timer.schedule(Duration.ofDays(365 * 100), () -> events.add("century"));
    CountDownLatch later = new CountDownLatch(1);
    timer.schedule(Duration.ofMillis(1), later::countDown);

    assertThat(awaits(later)).isTrue();
    assertThat(events).isEmpty();
    assertThat(timer.close()).hasSize(3);
  }

  @Test
  void schedule_negativeDelays_runAtOnce() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());

    timer.schedule(Long.MIN_VALUE, () -> events.add("min"));
    timer.schedule(Duration.ofSeconds(Long.MIN_VALUE), () -> events.add("seconds"));

    assertThat(take(2)).containsExactly("min", "seconds");
  }

  @Test
  void schedule_fromATask_runs() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());

    timer.schedule(0, () -> timer.schedule(0, () -> events.add("inner")));

    assertThat(take()).isEqualTo("inner");
  }

  @Test
  void schedule_earlierThanTheSleep_wakesTheThread() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    timer.schedule(LONG, NOTHING);
    awaitSleep(timer);

    timer.schedule(Duration.ofMillis(1), () -> events.add("soon"));

    assertThat(take()).isEqualTo("soon");
  }

  @Test
  void schedule_laterThanTheSleep_letsTheThreadSleep() {
    WheelTimer timer = start(WheelTimer.builder());
    timer.schedule(LONG, NOTHING);
    awaitSleep(timer);
    long before = timer.wakeUps();

    for (int i = 0; i < SharedWheel.BUNDLE / 2 - 1; i++) {
      timer.schedule(LONG.plusMillis(i), NOTHING).cancel();
      timer.schedule(LONG.plusMillis(i), NOTHING);
    }

    assertThat(timer.held()).isEqualTo(SharedWheel.BUNDLE / 2);
    assertThat(timer.wakeUps()).isEqualTo(before);
  }

  @Test
  void idle_farTask_sleepsOnceUntilItIsDue() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder().tick(Duration.ofNanos(1000)));
    awaitSleep(timer);
    long before = timer.wakeUps();

    timer.schedule(Duration.ofMillis(300), () -> events.add(timer.wakeUps()));

    // One wake-up by the schedule, one when the time has come, and one to spare: the kernel may
    // end a sleep a moment early. Coarser levels in between cost none.
    assertThat((Long) take() - before).isBetween(1L, 3L);
  }

  @Test
  void cancel_beforeItRan_keepsItFromRunning() {
    WheelTimer timer = start(WheelTimer.builder());
    CountDownLatch later = new CountDownLatch(1);
    io.punctual.timer.Timeout timeout =
        timer.schedule(Duration.ofMillis(20), () -> events.add("cancelled"));
    timer.schedule(Duration.ofMillis(40), later::countDown);

    assertThat(timeout.cancel()).isTrue();
    assertThat(timeout.cancel()).isFalse();
    assertThat(awaits(later)).isTrue();
    assertThat(events).isEmpty();
  }

  @Test
  void cancel_afterItRan_returnsFalse() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    AtomicReference<io.punctual.timer.Timeout> self = new AtomicReference<>();
    CountDownLatch set = new CountDownLatch(1);
    self.set(
        timer.schedule(
            0,
            () -> {
              awaits(set);
              events.add(self.get().cancel());
            }));
    set.countDown();

    assertThat(take()).isEqualTo(false);
    assertThat(self.get().cancel()).isFalse();
  }

  @Test
  void cancel_atOnceAMillionTimes_holdsFewOfThem() {
    WheelTimer timer = start(WheelTimer.builder());

    assertThat(mostHeldWhileCancelling(timer, 1)).isLessThan(4 * SharedWheel.TOLERATED);
  }

  @Test
  void cancel_laterAMillionTimes_holdsFewOfThem() {
    WheelTimer timer = start(WheelTimer.builder());

    assertThat(mostHeldWhileCancelling(timer, 5_000)).isLessThan(8 * SharedWheel.TOLERATED);
  }

  @Test
  void cancel_whileATaskBlocksTheThread_holdsFewOfThem() {
    WheelTimer timer = start(WheelTimer.builder());
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    timer.schedule(
        0,
        () -> {
          running.countDown();
          awaits(release);
        });
    assertThat(awaits(running)).isTrue();

    assertThat(mostHeldWhileCancelling(timer, 5_000)).isLessThan(8 * SharedWheel.TOLERATED);
    release.countDown();
  }

  /** Of a million, each is cancelled when {@code distance} more have been scheduled. */
  private static int mostHeldWhileCancelling(WheelTimer timer, int distance) {
    Queue<io.punctual.timer.Timeout> open = new ArrayDeque<>();
    int most = 0;
    for (int i = 0; i < 1_000_000; i++) {
      open.add(timer.schedule(LONG.toNanos() + i, NOTHING));
      if (open.size() == distance) {
        open.remove().cancel();
      }
      if (i % 10_007 == 0) {
        most = Math.max(most, timer.held());
      }
    }
    return most;
  }

  @Test
  void cancel_mostOfMany_holdsHardlyMoreThanTheOthers() {
    WheelTimer timer = start(WheelTimer.builder());
    List<io.punctual.timer.Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      timeouts.add(timer.schedule(LONG.toNanos() + i * 1_000_000L, NOTHING));
    }

    Collections.shuffle(timeouts, new Random(1));
    timeouts.subList(0, 150_000).forEach(io.punctual.timer.Timeout::cancel);

    await().until(() -> timer.held() <= 130_000);
    timer.close().forEach(task -> events.add(task));
    assertThat(events).hasSize(50_000);
  }

  @Test
  void task_throws_isReportedAndOthersRun() throws InterruptedException {
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    WheelTimer timer =
        start(WheelTimer.builder().onFailure((task, failure) -> failures.add(failure)));
    Error thrown = new StackOverflowError("of the test");

    timer.schedule(
        0,
        () -> {
          throw thrown;
        });
    timer.schedule(0, () -> events.add("next"));

    assertThat(take()).isEqualTo("next");
    assertThat(failures).containsExactly(thrown);
  }

  @Test
  void failureHandler_throws_fallsBackToTheThreadsOwn() throws InterruptedException {
    RuntimeException first = new IllegalStateException("task");
    RuntimeException second = new IllegalStateException("handler");
    WheelTimer timer =
        start(
            WheelTimer.builder()
                .onFailure(
                    (task, failure) -> {
                      throw second;
                    })
                .threadFactory(
                    loop -> {
                      Thread thread = new Thread(loop, "test-timer");
                      thread.setUncaughtExceptionHandler(
                          (t, failure) -> {
                            events.add(failure);
                            throw new IllegalStateException("and this one throws too");
                          });
                      return thread;
                    }));

    timer.schedule(
        0,
        () -> {
          throw first;
        });
    timer.schedule(0, () -> events.add("next"));

    assertThat(take(2)).containsExactly(second, "next");
    assertThat(second.getSuppressed()).containsExactly(first);
  }

  @Test
  void task_leavesInterrupt_doesNotKeepTheThreadAwake() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());

    timer.schedule(0, () -> Thread.currentThread().interrupt());
    timer.schedule(Duration.ofMillis(20), () -> events.add(timer.wakeUps()));

    assertThat((Long) take()).isLessThan(6);
  }

  @Test
  void task_blocks_isReportedByWhoSchedules() throws InterruptedException {
    WheelTimer timer =
        start(
            WheelTimer.builder()
                .stallLimit(Duration.ofMillis(20))
                .onFailure((task, failure) -> events.add(failure)));
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    timer.schedule(
        0,
        () -> {
          running.countDown();
          awaits(release);
        });
    assertThat(awaits(running)).isTrue();

    await().until(() -> timer.schedule(LONG, NOTHING).cancel() && !events.isEmpty());
    Throwable stall = (Throwable) take();
    release.countDown();

    assertThat(stall).isInstanceOf(TimeoutException.class).hasMessageContaining("punctual-timer");
    assertThat(stall.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(WheelTimerTest.class.getName()));
    assertThat(events).isEmpty();
  }

  @Test
  void task_blocksWithoutAFailureHandler_isNoUncaughtException() {
    Thread timer = new Thread(NOTHING, "stalled-timer");
    timer.setUncaughtExceptionHandler((thread, failure) -> events.add(failure));
    new Failures(null).reportStall(timer, NOTHING, new TimeoutException("a stall of this test"));
    assertThat(events).isEmpty();
    new Failures(null).report(timer, NOTHING, new IllegalStateException("thrown"));
    assertThat(events).hasSize(1);
  }

  @Test
  void thread_madeByTheTimer_inheritsNoThreadLocals() throws InterruptedException {
    InheritableThreadLocal<String> tenant = new InheritableThreadLocal<>();
    tenant.set("tenant of the thread that creates the timer");
    WheelTimer timer = start(WheelTimer.builder());
    tenant.remove();
    timer.schedule(0, () -> events.add(String.valueOf(tenant.get())));
    assertThat(take()).isEqualTo("null");
  }

  @Test
  void executor_given_runsTheTasks() throws InterruptedException {
    Queue<Runnable> handed = new ArrayBlockingQueue<>(1);
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    CountDownLatch rejected = new CountDownLatch(1);
    Executor full =
        task -> {
          if (!handed.offer(task)) {
            throw new RejectedExecutionException("full");
          }
        };
    WheelTimer timer =
        start(
            WheelTimer.builder()
                .executor(full)
                .onFailure(
                    (task, failure) -> {
                      failures.add(failure);
                      rejected.countDown();
                    }));

    timer.schedule(0, NOTHING);
    timer.schedule(0, NOTHING);

    assertThat(awaits(rejected)).isTrue();
    assertThat(handed).containsExactly(NOTHING);
    assertThat(failures).singleElement().isInstanceOf(RejectedExecutionException.class);
  }

  @Test
  void close_pendingTasks_returnsThemInOrder() {
    WheelTimer timer = start(WheelTimer.builder());
    Runnable first = () -> events.add(1);
    Runnable second = () -> events.add(2);
    Runnable third = () -> events.add(3);
    io.punctual.timer.Timeout kept = timer.schedule(LONG.plusDays(40_000), third);
    timer.schedule(LONG, first);
    timer.schedule(LONG.plusSeconds(1), second);
    timer.schedule(LONG, NOTHING).cancel();

    assertThat(timer.close()).containsExactly(first, second, third);
    assertThat(timer.close()).isEmpty();
    assertThat(kept.cancel()).isFalse();
    assertThatThrownBy(() -> timer.schedule(0, NOTHING))
        .isInstanceOf(RejectedExecutionException.class)
        .hasMessageContaining("punctual-timer");
  }

  @Test
  void close_fromATask_returnsTheRestOfItsBatch() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch scheduled = new CountDownLatch(1);
    timer.schedule(
        0,
        () -> {
          running.countDown();
          awaits(scheduled);
        });
    assertThat(awaits(running)).isTrue();
    timer.schedule(0, () -> events.add(timer.close()));
    for (int i = 0; i < 600; i++) {
      timer.schedule(0, NOTHING);
    }
    scheduled.countDown();

    assertThat((List<?>) take()).hasSize(600).allMatch(NOTHING::equals);
    assertThat(timer.awaitTermination(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void close_idleTimer_endsItsThread() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    awaitSleep(timer);

    assertThat(timer.close()).isEmpty();
    assertThat(timer.awaitTermination(Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void awaitTermination_taskStillRuns_returnsFalse() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicBoolean interrupted = new AtomicBoolean();
    timer.schedule(
        0,
        () -> {
          running.countDown();
          interrupted.set(!awaits(release));
        });
    assertThat(awaits(running)).isTrue();

    timer.close();
    assertThat(timer.awaitTermination(Duration.ofMillis(5))).isFalse();
    release.countDown();
    assertThat(timer.awaitTermination(Duration.ofSeconds(30))).isTrue();
    assertThat(interrupted).isFalse();
  }

  @Test
  void builder_badTickOrLimit_isRefused() {
    WheelTimer.Builder builder = WheelTimer.builder();

    assertThatThrownBy(() -> builder.tick(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.tick(Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.stallLimit(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private WheelTimer start(WheelTimer.Builder builder) {
    WheelTimer timer = builder.build();
    timers.add(timer);
    return timer;
  }

  private static void awaitSleep(WheelTimer timer) {
    await().until(timer::isAsleep);
  }

  private Object take() throws InterruptedException {
    Object event = events.poll(30, TimeUnit.SECONDS);
    assertThat(event).as("an event within 30 s").isNotNull();
    return event;
  }

  private List<Object> take(int count) throws InterruptedException {
    List<Object> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(take());
    }
    return taken;
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void nothing() {}
}
