package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a process with a queue for each of many tenants. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class ManyQueuesTest {
  private static final int QUEUES = Boolean.getBoolean("punctual.thorough") ? 1000 : 200;

  /**
   * The maximum number of threads that the test allows. {@code docs/tasks/tenants.md} has the lower
   * number that {@code ./bench redis} measured.
   */
  private static final int THREADS = 16;

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet();
  }

  @Test
  void pool_manyQueues_needFewThreads() throws InterruptedException {
    CountDownLatch delivered = new CountDownLatch(QUEUES);
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    Set<Thread> before = threads();
    try (Punctual punctual = Punctual.open(redis.url())) {
      WorkerOptions options =
          WorkerOptions.builder().pool(punctual.workerPool(WorkerOptions.DEFAULT)).build();
      for (int i = 0; i < QUEUES; i++) {
        TimedQueue<String> queue = punctual.queue("tenant-" + i, Codec.string());
        queue.work(options, delivery -> delivered.countDown());
        queue.schedule(Message.of("hello"));
      }
      assertThat(delivered.await(5, TimeUnit.MINUTES)).isTrue();
      Set<Thread> added = new HashSet<>(threads());
      added.removeAll(before);
      assertThat(added).hasSizeLessThanOrEqualTo(THREADS);
    }
  }
}
