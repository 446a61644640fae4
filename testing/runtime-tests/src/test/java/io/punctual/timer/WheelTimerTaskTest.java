package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class WheelTimerTaskTest extends WheelTimerFixture {
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
  void task_blocks_isReportedByTheSchedulingThread() throws InterruptedException {
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
        .anyMatch(frame -> frame.getClassName().equals(WheelTimerTaskTest.class.getName()));
    assertThat(events).isEmpty();
  }

  @Test
  void task_blocksWithoutAFailureHandler_isNoUncaughtException() {
    Thread timer = new Thread(NOTHING, "stalled-timer");
    timer.setUncaughtExceptionHandler((thread, failure) -> events.add(failure));
    new FailureReporter(null)
        .reportStall(timer, NOTHING, new TimeoutException("a stall of this test"));
    assertThat(events).isEmpty();
    new FailureReporter(null).report(timer, NOTHING, new IllegalStateException("thrown"));
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
  void thread_madeByTheTimer_hasTheContextClassLoaderOfItsCreator() throws InterruptedException {
    Thread creator = Thread.currentThread();
    ClassLoader before = creator.getContextClassLoader();
    ClassLoader loader = new ClassLoader(before) {};
    creator.setContextClassLoader(loader);
    try {
      WheelTimer timer = start(WheelTimer.builder());
      timer.schedule(0, () -> events.add(Thread.currentThread().getContextClassLoader()));
      assertThat(take()).isSameAs(loader);
    } finally {
      creator.setContextClassLoader(before);
    }
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
}
