package io.punctual.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.timer.Timeout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ManualClockTest {
  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private final ManualClock clock = new ManualClock(START);
  private final List<String> ran = new ArrayList<>();

  private void note(String name) {
    ran.add(name + " at " + Duration.between(START, clock.instant()).toMillis());
  }

  @Test
  void advance_span_movesBothReadings() {
    long before = clock.nanoTime();
    clock.advance(Duration.ofMinutes(30));
    assertThat(clock.instant()).isEqualTo(START.plus(Duration.ofMinutes(30)));
    assertThat(clock.millis()).isEqualTo(START.plus(Duration.ofMinutes(30)).toEpochMilli());
    assertThat(clock.nanoTime() - before).isEqualTo(Duration.ofMinutes(30).toNanos());
  }

  @Test
  void advance_tasks_runInOrderEachAtItsOwnTime() {
    clock.schedule(Duration.ofMillis(20), () -> note("b"));
    clock.schedule(Duration.ofMillis(10), () -> note("a"));
    clock.schedule(Duration.ofMillis(20), () -> note("c"));
    clock.schedule(Duration.ofMillis(31), () -> note("d"));
    clock.advance(Duration.ofMillis(30));
    assertThat(ran).containsExactly("a at 10", "b at 20", "c at 20");
    assertThat(clock.instant()).isEqualTo(START.plusMillis(30));
    assertThat(clock.pendingTasks()).isEqualTo(1);
  }

  @Test
  void advance_aNanosecondLess_runsNothing() {
    clock.schedule(Duration.ofMillis(10), () -> note("a"));
    clock.advance(Duration.ofMillis(10).minusNanos(1));
    assertThat(ran).isEmpty();
    clock.advance(Duration.ofNanos(1));
    assertThat(ran).containsExactly("a at 10");
  }

  @Test
  void advance_taskSchedulesAnother_runsItTooIfWithinTheSpan() {
    clock.schedule(Duration.ofMillis(10), this::repeat);
    clock.advance(Duration.ofMillis(35));
    assertThat(ran).containsExactly("repeat at 10", "repeat at 20", "repeat at 30");
    assertThat(clock.pendingTasks()).isEqualTo(1);
  }

  private void repeat() {
    note("repeat");
    clock.schedule(Duration.ofMillis(10), this::repeat);
  }

  @Test
  void advance_taskSchedulesAtOnce_runsItAfterItself() {
    clock.schedule(
        Duration.ofMillis(10),
        () -> {
          clock.schedule(Duration.ZERO, () -> note("second"));
          note("first");
        });
    clock.advance(Duration.ofMillis(10));
    assertThat(ran).containsExactly("first at 10", "second at 10");
  }

  @Test
  void advance_taskAdvancesItself_neverTurnsBack() {
    clock.schedule(Duration.ofMillis(10), () -> clock.advance(Duration.ofMillis(50)));
    clock.schedule(Duration.ofMillis(40), () -> note("a"));
    clock.advance(Duration.ofMillis(20));
    assertThat(ran).containsExactly("a at 40");
    assertThat(clock.instant()).isEqualTo(START.plusMillis(60));
  }

  @Test
  void advance_taskThrows_runsTheOthersThenThrows() {
    RuntimeException first = new IllegalStateException("first");
    RuntimeException second = new IllegalStateException("second");
    clock.schedule(Duration.ofMillis(1), () -> fail(first));
    clock.schedule(Duration.ofMillis(2), () -> fail(second));
    clock.schedule(Duration.ofMillis(3), () -> note("a"));
    assertThatThrownBy(() -> clock.advance(Duration.ofMillis(5)))
        .isSameAs(first)
        .satisfies(thrown -> assertThat(thrown.getSuppressed()).containsExactly(second));
    assertThat(ran).containsExactly("a at 3");
    assertThat(clock.instant()).isEqualTo(START.plusMillis(5));
  }

  private static void fail(RuntimeException failure) {
    throw failure;
  }

  @Test
  void advance_negative_refused() {
    assertThatIllegalArgumentException().isThrownBy(() -> clock.advance(Duration.ofNanos(-1)));
    assertThat(clock.instant()).isEqualTo(START);
  }

  @Test
  void cancel_pending_keepsItFromRunningOnce() {
    Timeout timeout = clock.schedule(Duration.ofMillis(10), () -> note("a"));
    assertThat(timeout.cancel()).isTrue();
    assertThat(timeout.cancel()).isFalse();
    clock.advance(Duration.ofMillis(10));
    assertThat(ran).isEmpty();
  }

  @Test
  void cancel_afterItRan_false() {
    Timeout timeout = clock.schedule(Duration.ofMillis(10), () -> note("a"));
    clock.advance(Duration.ofMillis(10));
    assertThat(timeout.cancel()).isFalse();
  }

  @Test
  void step_wallClock_leavesMonotonicTimeAndTasksAlone() {
    clock.schedule(Duration.ofMillis(10), () -> note("a"));
    long before = clock.nanoTime();
    clock.step(Duration.ofHours(1));
    assertThat(clock.instant()).isEqualTo(START.plusSeconds(3600));
    clock.step(Duration.ofHours(-2));
    assertThat(clock.instant()).isEqualTo(START.minusSeconds(3600));
    assertThat(clock.nanoTime()).isEqualTo(before);
    assertThat(ran).isEmpty();
    clock.advance(Duration.ofMillis(10));
    assertThat(ran).hasSize(1);
  }

  @Test
  void set_wallClock_leavesMonotonicTimeAlone() {
    long before = clock.nanoTime();
    clock.set(Instant.EPOCH);
    assertThat(clock.instant()).isEqualTo(Instant.EPOCH);
    assertThat(clock.nanoTime()).isEqualTo(before);
  }

  @Test
  void schedule_dueAlready_runsWithoutAdvancing() throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(2);
    clock.schedule(Duration.ZERO, latch::countDown);
    clock.schedule(Duration.ofMillis(-5), latch::countDown);
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(clock.instant()).isEqualTo(START);
  }

  @Test
  void schedule_endlessDelay_neverRuns() {
    clock.advance(Duration.ofDays(1));
    clock.schedule(Long.MAX_VALUE, () -> note("a"));
    clock.advance(Duration.ofDays(36_500));
    assertThat(ran).isEmpty();
    assertThat(clock.pendingTasks()).isEqualTo(1);
  }

  @Test
  void advance_fromManyThreads_addsUp() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int j = 0; j < 100; j++) {
                  clock.schedule(Duration.ofMillis(1), () -> ran.add("one at a time"));
                  clock.advance(Duration.ofMillis(1));
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    clock.advance(Duration.ofMillis(1));
    assertThat(clock.instant()).isEqualTo(START.plusMillis(401));
    assertThat(ran).hasSize(400);
  }
}
