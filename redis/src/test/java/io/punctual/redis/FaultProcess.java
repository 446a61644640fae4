package io.punctual.redis;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.testkit.history.Recording;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A process of a {@link FaultRun}: {@code role url history-file name number milliseconds}. */
final class FaultProcess {
  private static final Duration LEASE = Duration.ofSeconds(2);

  private FaultProcess() {}

  public static void main(String[] args) throws InterruptedException {
    try (Recording recording = Recording.to(Path.of(args[2]), args[3]);
        Punctual punctual =
            Punctual.builder()
                .store(recording.store(RedisStore.builder().url(args[1]).open()))
                .listener(recording.listener())
                .build()) {
      TimedQueue<String> queue = recording.queue(punctual.queue(FaultRun.QUEUE, Codec.string()));
      System.out.println(FaultRun.READY);
      if (args[0].equals("produce")) {
        produce(queue, args[3], Integer.parseInt(args[4]));
      } else {
        work(queue, Integer.parseInt(args[4]), Integer.parseInt(args[5]));
      }
    }
  }

  private static void produce(TimedQueue<String> queue, String name, int messages)
      throws InterruptedException {
    List<CompletionStage<?>> asked = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      Message<String> message =
          Message.of("payload").id(name + "-" + i).dueIn(Duration.ofMillis(i * 37 % 2000));
      asked.add(queue.scheduleAsync(message));
      if (i % 5 == 4) {
        asked.add(queue.cancelAsync(name + "-" + (i - i % 10)));
      }
      if (i % 20 == 19) {
        Thread.sleep(5);
      }
    }
    for (CompletionStage<?> one : asked) {
      try {
        one.toCompletableFuture().join();
      } catch (CompletionException e) {
        if (!(e.getCause() instanceof PunctualException)) {
          throw e;
        }
        // Told the caller, and recorded: what became of it, the checker works out.
      }
    }
  }

  private static void work(TimedQueue<String> queue, int concurrency, int millis)
      throws InterruptedException {
    Worker worker =
        queue.work(
            WorkerOptions.builder().concurrency(concurrency).lease(LEASE).build(),
            delivery -> Thread.sleep(millis));
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
    worker.await();
  }
}
