package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Creates timers for a test, collects the test's events, and closes the timers afterwards. */
@Timeout(300)
abstract class WheelTimerFixture {
  static final Duration LONG = Duration.ofHours(1);
  static final Runnable NOTHING = WheelTimerFixture::nothing;

  private final List<WheelTimer> timers = new ArrayList<>();
  final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

  @AfterEach
  void closeTimers() {
    timers.forEach(WheelTimer::close);
  }

  WheelTimer start(WheelTimer.Builder builder) {
    WheelTimer timer = builder.build();
    timers.add(timer);
    return timer;
  }

  static void awaitSleep(WheelTimer timer) {
    await().until(timer::isAsleep);
  }

  Object take() throws InterruptedException {
    Object event = events.poll(60, TimeUnit.SECONDS);
    assertThat(event).as("an event within 60 s").isNotNull();
    return event;
  }

  List<Object> take(int count) throws InterruptedException {
    List<Object> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(take());
    }
    return taken;
  }

  /**
   * Blocks the thread of the timer until the test counts the latch down, so that no task runs
   * meanwhile, even on a busy machine.
   */
  static CountDownLatch blocked(WheelTimer timer) {
    CountDownLatch release = new CountDownLatch(1);
    timer.schedule(0, () -> awaits(release));
    return release;
  }

  static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static void nothing() {}
}
