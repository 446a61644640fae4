package io.punctual.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many threads share a timer: each task ends in exactly one way, and no task starts early. */
final class WheelTimerStressTest {
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");
  private static final int THREADS = 6;
  private static final int TASKS = 40_000;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final AtomicLong early = new AtomicLong();
  private final AtomicInteger started = new AtomicInteger();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  /** A task that counts how often it ended: by a run, a cancel or a close. */
  private final class Counted implements Runnable {
    private final AtomicInteger ends = new AtomicInteger();
    private final long due;

    Counted(long due) {
      this.due = due;
    }

    @Override
    public void run() {
      if (System.nanoTime() - due < 0) {
        early.incrementAndGet();
      }
      ends.incrementAndGet();
      started.incrementAndGet();
    }
  }

  @Test
  void scheduleAndCancel_manyThreads_eachTaskRunsOrIsCancelled() throws Exception {
    WheelTimer timer = WheelTimer.create();

    List<Counted> tasks = onAllThreads(thread -> scheduleSome(timer, new Random(thread)));
    await().until(() -> tasks.stream().noneMatch(task -> task.ends.get() == 0));
    List<Runnable> neverRan = timer.close();

    assertThat(neverRan).isEmpty();
    assertThat(tasks).hasSize(THREADS * TASKS).allMatch(task -> task.ends.get() == 1);
    assertThat(early).hasValue(0);
  }

  @Test
  void close_whileManyThreadsSchedule_returnsWhatDidNotRun() throws Exception {
    for (int round = 0; round < (THOROUGH ? 20 : 5); round++) {
      started.set(0);
      WheelTimer timer = WheelTimer.create();
      Thread closer = new Thread(() -> closeAfterSome(timer));
      closer.start();

      List<Counted> tasks = onAllThreads(thread -> scheduleUntilRejected(timer, thread));
      closer.join();
      assertThat(timer.awaitTermination(Duration.ofSeconds(60))).isTrue();

      assertThat(tasks).isNotEmpty().allMatch(task -> task.ends.get() == 1);
    }
    assertThat(early).hasValue(0);
  }

  /**
   * Schedules tasks and cancels some of them. A successful cancel counts as the end of its task.
   */
  private List<Counted> scheduleSome(WheelTimer timer, Random random) {
    List<Counted> tasks = new ArrayList<>();
    Queue<Runnable> cancels = new ArrayDeque<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(schedule(timer, random, cancels));
    }
    return tasks;
  }

  private List<Counted> scheduleUntilRejected(WheelTimer timer, int thread) {
    Random random = new Random(thread);
    List<Counted> tasks = new ArrayList<>();
    Queue<Runnable> cancels = new ArrayDeque<>();
    while (true) {
      try {
        tasks.add(schedule(timer, random, cancels));
      } catch (RejectedExecutionException closed) {
        return tasks;
      }
    }
  }

  private Counted schedule(WheelTimer timer, Random random, Queue<Runnable> cancels) {
    long delay = random.nextInt(20) == 0 ? 0 : random.nextInt(3_000_000);
    Counted task = new Counted(System.nanoTime() + delay);
    Timeout timeout = timer.schedule(delay, task);
    if (random.nextBoolean()) {
      cancels.add(
          () -> {
            if (timeout.cancel()) {
              task.ends.incrementAndGet();
            }
          });
    }
    if (cancels.size() > random.nextInt(500)) {
      cancels.remove().run();
    }
    return task;
  }

  private void closeAfterSome(WheelTimer timer) {
    await().pollInSameThread().until(() -> started.get() > 1_000);
    timer.close().forEach(task -> ((Counted) task).ends.incrementAndGet());
  }

  private List<Counted> onAllThreads(IntFunction<List<Counted>> work) throws Exception {
    List<Future<List<Counted>>> parts = new ArrayList<>();
    for (int thread = 0; thread < THREADS; thread++) {
      int number = thread;
      parts.add(threads.submit(() -> work.apply(number)));
    }
    List<Counted> all = new ArrayList<>();
    for (Future<List<Counted>> part : parts) {
      all.addAll(part.get());
    }
    return all;
  }
}
