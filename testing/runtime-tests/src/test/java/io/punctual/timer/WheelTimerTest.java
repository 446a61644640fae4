package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class WheelTimerTest extends WheelTimerFixture {
  @Test
  void schedule_delays_runsInOrderAndNeverEarly() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    Queue<Long> early = new ConcurrentLinkedQueue<>();
    List<Object> ran = List.of();
    // Tasks that are late run in any order, so one round that the machine does not delay is enough.
    for (int round = 0; round < 10 && !ran.equals(List.of(0, 1, 5, 10, 20, 30)); round++) {
      for (int millis : new int[] {30, 5, 20, 1, 0, 10}) {
        scheduleIn(millis, timer, early);
      }
      ran = take(6);
    }

    assertThat(ran).containsExactly(0, 1, 5, 10, 20, 30);
    assertThat(early).isEmpty();
  }

  private void scheduleIn(int millis, WheelTimer timer, Queue<Long> early) {
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

    for (int i = 0; i < SharedWheel.PLACE_THRESHOLD / 2 - 1; i++) {
      timer.schedule(LONG.plusMillis(i), NOTHING).cancel();
      timer.schedule(LONG.plusMillis(i), NOTHING);
    }

    assertThat(timer.retained()).isEqualTo(SharedWheel.PLACE_THRESHOLD / 2);
    assertThat(timer.wakeUps()).isEqualTo(before);
  }

  @Test
  void idle_farTask_sleepsOnceUntilItIsDue() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder().tick(Duration.ofNanos(1000)));
    awaitSleep(timer);
    long before = timer.wakeUps();

    timer.schedule(Duration.ofMillis(300), () -> events.add(timer.wakeUps()));

    // The schedule and the due time cause a wake-up each. A third wake-up is tolerated, because the
    // kernel may end a sleep slightly early. Moves of the timeout to lower levels cause no wake-up.
    assertThat((Long) take() - before).isBetween(1L, 3L);
  }

  @Test
  void cancel_beforeItRan_keepsItFromRunning() {
    WheelTimer timer = start(WheelTimer.builder());
    CountDownLatch later = new CountDownLatch(1);
    CountDownLatch cancelled = blocked(timer);
    io.punctual.timer.Timeout timeout =
        timer.schedule(Duration.ofMillis(20), () -> events.add("cancelled"));
    timer.schedule(Duration.ofMillis(40), later::countDown);

    assertThat(timeout.cancel()).isTrue();
    assertThat(timeout.cancel()).isFalse();
    cancelled.countDown();
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
  void cancel_atOnceAMillionTimes_retainsFewTimeouts() {
    WheelTimer timer = start(WheelTimer.builder());

    assertThat(mostRetainedWhileCancelling(timer, 1)).isLessThan(4 * SharedWheel.SWEEP_THRESHOLD);
  }

  @Test
  void cancel_laterAMillionTimes_retainsFewTimeouts() {
    WheelTimer timer = start(WheelTimer.builder());

    assertThat(mostRetainedWhileCancelling(timer, 5_000))
        .isLessThan(8 * SharedWheel.SWEEP_THRESHOLD);
  }

  @Test
  void cancel_whileATaskBlocksTheThread_retainsFewTimeouts() {
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

    assertThat(mostRetainedWhileCancelling(timer, 5_000))
        .isLessThan(8 * SharedWheel.SWEEP_THRESHOLD);
    release.countDown();
  }

  /**
   * Schedules a million timeouts, and cancels the oldest whenever {@code distance} timeouts are
   * pending. Returns the largest number of timeouts that it found in memory.
   */
  private static int mostRetainedWhileCancelling(WheelTimer timer, int distance) {
    Queue<io.punctual.timer.Timeout> open = new ArrayDeque<>();
    int most = 0;
    for (int i = 0; i < 1_000_000; i++) {
      open.add(timer.schedule(LONG.toNanos() + i, NOTHING));
      if (open.size() == distance) {
        open.remove().cancel();
      }
      if (i % 10_007 == 0) {
        most = Math.max(most, timer.retained());
      }
    }
    return most;
  }

  @Test
  void cancel_mostOfMany_retainsHardlyMoreThanThePendingTimeouts() {
    WheelTimer timer = start(WheelTimer.builder());
    List<io.punctual.timer.Timeout> timeouts = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      timeouts.add(timer.schedule(LONG.toNanos() + i * 1_000_000L, NOTHING));
    }

    Collections.shuffle(timeouts, new Random(1));
    timeouts.subList(0, 150_000).forEach(io.punctual.timer.Timeout::cancel);

    await().until(() -> timer.retained() <= 130_000);
    timer.close().forEach(task -> events.add(task));
    assertThat(events).hasSize(50_000);
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
    assertThat(timer.awaitTermination(Duration.ofSeconds(60))).isTrue();
  }

  @Test
  void close_idleTimer_endsItsThread() throws InterruptedException {
    WheelTimer timer = start(WheelTimer.builder());
    awaitSleep(timer);

    assertThat(timer.close()).isEmpty();
    assertThat(timer.awaitTermination(Duration.ofSeconds(60))).isTrue();
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
    assertThat(timer.awaitTermination(Duration.ofSeconds(60))).isTrue();
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

  @Test
  void builder_longestStallLimit_isAccepted() {
    WheelTimer.Builder builder =
        WheelTimer.builder().stallLimit(Duration.ofSeconds(Long.MAX_VALUE));
    assertThatCode(() -> builder.build().close()).doesNotThrowAnyException();
  }
}
