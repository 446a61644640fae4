package io.punctual.benchmarks.redis;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A process with a queue for each tenant: {@code TenantsChild <url> <queues>}. The queues share a
 * pool of workers. Five seconds after every queue has delivered a message, the process prints its
 * number of threads. Then it collects garbage, and prints its used heap in bytes. Exits when its
 * standard input closes.
 */
final class TenantsChild {
  private static final long SETTLE_MILLIS = 5000;

  /**
   * The lease of the workers, which is shorter than the pause before the measurement. A worker
   * claims once more when the lease of its last message would end, and this claim must not count.
   */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private TenantsChild() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    int queues = Integer.parseInt(args[1]);
    CountDownLatch delivered = new CountDownLatch(queues);
    try (Punctual punctual = Punctual.open(args[0])) {
      WorkerOptions options =
          WorkerOptions.builder()
              .pool(punctual.workerPool(WorkerOptions.DEFAULT))
              .lease(LEASE)
              .build();
      for (int i = 0; i < queues; i++) {
        TimedQueue<String> queue = punctual.queue("tenant-" + i, Codec.string());
        var unusedWorker = queue.work(options, delivery -> delivered.countDown());
        var unusedId = queue.schedule(Message.of("hello"));
      }
      delivered.await();
      Thread.sleep(SETTLE_MILLIS);
      System.out.println(Thread.getAllStackTraces().size());
      System.out.println(usedHeap());
      long unused = System.in.transferTo(OutputStream.nullOutputStream());
    }
  }

  private static long usedHeap() {
    Runtime runtime = Runtime.getRuntime();
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
