package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests workers with a prefetch, on real threads. The tests pause, resize and close the workers
 * while the handling of messages starts.
 */
@Timeout(300)
class WorkerPrefetchRaceTest {
  private static final int MESSAGES = Boolean.getBoolean("punctual.thorough") ? 20_000 : 5_000;

  private final Queue<String> handled = new ConcurrentLinkedQueue<>();

  private static void schedule(TimedQueue<String> queue, int messages) {
    queue.scheduleAll(
        IntStream.range(0, messages).mapToObj(i -> Message.of(queue.name() + i)).toList());
  }

  private void expectEachOnce(int messages) {
    await().until(() -> handled.size() >= messages);
    assertThat(handled).hasSize(messages).doesNotHaveDuplicates();
  }

  /**
   * Waits until a further message is handled. Spins instead of polling at intervals, so that the
   * next change of the worker comes while the handling of messages starts.
   */
  private void awaitNextMessage() {
    int seen = handled.size();
    while (handled.size() == seen) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void work_pausedResumedAndResized_handlesEachMessageOnce(int partitions) {
    try (MemoryStore store = MemoryStore.builder().partitions(partitions).build();
        Punctual punctual = Punctual.builder().store(store).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      Worker worker =
          queue.work(
              WorkerOptions.builder().concurrency(4).prefetch(50).build(),
              delivery -> handled.add(delivery.payload()));
      schedule(queue, MESSAGES);
      for (int i = 0; handled.size() < MESSAGES / 2; i++) {
        worker.pause();
        worker.setConcurrency(1 + i % 8);
        worker.resume();
        awaitNextMessage();
      }
      expectEachOnce(MESSAGES);
      worker.close();
      assertThat(queue.counts().pending()).isZero();
    }
  }

  @Test
  void close_whileMessagesStart_leavesNoneLeased() {
    try (Punctual punctual = Punctual.builder().store(MemoryStore.builder().build()).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      schedule(queue, MESSAGES);
      WorkerOptions options = WorkerOptions.builder().concurrency(4).prefetch(200).build();
      while (handled.size() < MESSAGES / 2) {
        try (Worker unused = queue.work(options, each -> handled.add(each.payload()))) {
          awaitNextMessage();
        }
        assertThat(queue.counts().leased()).isZero();
      }
      queue.work(options, each -> handled.add(each.payload()));
      expectEachOnce(MESSAGES);
    }
  }

  @Test
  void pool_manyQueuesWithAPrefetch_handlesEachMessageOnce() {
    try (Punctual punctual = Punctual.builder().store(MemoryStore.builder().build()).build()) {
      WorkerPool pool = punctual.workerPool(WorkerOptions.builder().concurrency(6).build());
      WorkerOptions options = WorkerOptions.builder().pool(pool).prefetch(20).build();
      List<Worker> workers = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        TimedQueue<String> queue = punctual.queue("queue-" + i + "-", Codec.string());
        schedule(queue, 200);
        workers.add(queue.work(options, each -> handled.add(each.payload())));
      }
      workers.get(0).pause();
      workers.get(0).resume();
      expectEachOnce(50 * 200);
      workers.forEach(Worker::close);
      assertThat(pool.concurrency()).isEqualTo(6);
    }
  }
}
