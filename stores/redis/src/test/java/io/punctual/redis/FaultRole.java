package io.punctual.redis;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.kit.history.Recording;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The work of a client of a {@link FaultRun}: a producer or a worker.
 *
 * @param name the name of the client, with which the name of its history and the ids of its
 *     messages begin
 * @param produces true for a producer, which ends by itself; false for a worker, which runs until
 *     it is ended
 * @param number how many messages the producer schedules, or how many messages the worker handles
 *     at a time
 * @param millis how long the producer schedules, or how long a handler takes
 * @param seed the seed of the random choices
 */
record FaultRole(String name, boolean produces, int number, long millis, long seed) {
  private static final int LATEST_DUE_MILLIS = 2000;
  private static final int BURST = 20;
  private static final long SHORTEST_PAUSE_MILLIS = 5;
  private static final Duration GRACE = Duration.ofSeconds(20);

  static FaultRole of(List<String> words) {
    return new FaultRole(
        words.get(0),
        Boolean.parseBoolean(words.get(1)),
        Integer.parseInt(words.get(2)),
        Long.parseLong(words.get(3)),
        Long.parseLong(words.get(4)));
  }

  List<String> words() {
    return List.of(name, "" + produces, "" + number, "" + millis, "" + seed);
  }

  /**
   * Runs the producer until it has scheduled all messages, or the worker until its thread is
   * interrupted.
   *
   * @param ready runs once the client has reached the store
   * @param confirmed receives the ids of confirmed messages
   */
  void play(String url, Path history, Runnable ready, Consumer<String> confirmed) {
    try (Recording recording = Recording.to(history, name)) {
      Punctual punctual =
          Punctual.builder()
              .store(recording.store(RedisStore.builder().url(url).open()))
              .observer(recording.observer())
              .build();
      try {
        TimedQueue<String> queue = recording.queue(punctual.queue(FaultRun.QUEUE, Codec.string()));
        ready.run();
        if (produces) {
          produce(queue, confirmed);
        } else {
          work(queue);
        }
      } catch (InterruptedException ended) {
        // The test ends a role by an interrupt.
      } finally {
        punctual.close(GRACE);
      }
    }
  }

  private void produce(TimedQueue<String> queue, Consumer<String> confirmed)
      throws InterruptedException {
    Random random = new Random(seed);
    long pause = Math.max(SHORTEST_PAUSE_MILLIS, millis * BURST / number);
    List<CompletionStage<?>> asked = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      Duration delay = Duration.ofMillis(random.nextInt(LATEST_DUE_MILLIS));
      asked.add(
          queue
              .scheduleAsync(Message.of("payload").id(name + "-" + i).dueIn(delay))
              .thenAccept(scheduled -> confirmed.accept(scheduled.id())));
      if (random.nextInt(5) == 0) {
        asked.add(queue.cancelAsync(name + "-" + random.nextInt(i + 1)));
      }
      if (i % BURST == BURST - 1) {
        awaitNanos(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause));
      }
    }
    asked.forEach(FaultRole::awaitAnswer);
  }

  /**
   * Waits until this time, in {@link System#nanoTime}, or until the end of the role interrupts the
   * thread.
   */
  private static void awaitNanos(long time) throws InterruptedException {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(left);
    }
  }

  private static void awaitAnswer(CompletionStage<?> asked) {
    try {
      asked.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof PunctualException)) {
        throw e;
      }
      // The recording has the failure, from which the history checker derives the possible
      // outcomes.
    }
  }

  /**
   * Handles messages until the role ends. A handler takes the role's time, or ends with the role.
   */
  private void work(TimedQueue<String> queue) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Worker worker =
        queue.work(
            WorkerOptions.builder().concurrency(number).lease(FaultRun.LEASE).build(),
            delivery -> {
              boolean unused = ended.await(millis, TimeUnit.MILLISECONDS);
            });
    try {
      worker.await();
    } finally {
      ended.countDown();
      worker.close();
    }
  }
}
