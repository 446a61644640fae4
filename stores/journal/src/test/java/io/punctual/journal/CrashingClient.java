package io.punctual.journal;

import io.punctual.Codec;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.history.Recording;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A process that schedules, cancels and consumes messages until it is killed, and records each
 * operation in a history.
 */
final class CrashingClient {
  static final String QUEUE = "crash";
  static final Duration LEASE = Duration.ofMillis(300);

  private CrashingClient() {}

  /**
   * The arguments are the folder of the journal, the file of the history, a name for the process,
   * and a seed.
   */
  public static void main(String[] args) throws InterruptedException {
    String name = args[2];
    Recording recording = Recording.to(Path.of(args[1]), name);
    Punctual punctual = open(Path.of(args[0]), recording);
    TimedQueue<String> queue = recording.queue(punctual.queue(QUEUE, Codec.string()));
    queue.work(
        WorkerOptions.builder().lease(LEASE).concurrency(4).build(),
        delivery -> {
          if (delivery.payload().endsWith("7") && delivery.attempt() < 3) {
            throw new IllegalStateException("as asked");
          }
        });
    System.out.println("ready");
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      String prefix = name + "-" + i + "-";
      Random random = new Random(Long.parseLong(args[3]) + i);
      Thread thread = new Thread(() -> changeForever(queue, prefix, random));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  static Punctual open(Path folder, Recording recording) {
    JournalStore store = JournalStore.builder(folder).segmentBytes(16 << 10).open();
    return Punctual.builder().store(recording.store(store)).observer(recording.observer()).build();
  }

  private static void changeForever(TimedQueue<String> queue, String prefix, Random random) {
    for (int i = 0; ; i++) {
      String id = prefix + i;
      Message<String> message =
          Message.of("payload " + i).id(id).dueIn(Duration.ofMillis(random.nextInt(600)));
      queue.schedule(message, IfPresent.KEEP);
      if (random.nextInt(3) == 0) {
        queue.cancel(prefix + random.nextInt(i + 1));
      }
    }
  }
}
