package io.punctual.kit.repeat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.kit.history.Recording;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The work of a process of a {@link RepeatRun}: a producer, or a worker. Both end when their thread
 * is interrupted.
 *
 * @param name the name of the process, unique in the run
 * @param produces true for a producer, false for a worker
 * @param begin when the run began, in {@link System#nanoTime}
 * @param seed the seed of the random choices of a producer
 */
record RepeatRole(String name, boolean produces, long begin, long seed) {
  static final String QUEUE = "repeated";
  static final String READY = "ready";

  /** How many ids a second are added to the ids from which all producers choose. */
  private static final int NEW_IDS_A_SECOND = 100;

  /** Half of all schedules choose their id from this many of the newest ids. */
  private static final int NEWEST = 50;

  private static final int BATCH = 10;
  private static final long PAUSE_MILLIS = 20;
  private static final int LATEST_DUE_MILLIS = 500;
  private static final int LONGEST_HANDLER_MILLIS = 200;
  private static final Duration GRACE = Duration.ofSeconds(20);

  /** How long ids are remembered: longer than any run. */
  private static final Duration REMEMBERED = Duration.ofHours(12);

  /**
   * Allows many attempts, because each kill costs an attempt. A message must not become a dead
   * letter: the next schedule of its id would replace it, and the id would be handled again.
   */
  private static final WorkerOptions OPTIONS =
      WorkerOptions.builder()
          .concurrency(16)
          .lease(Duration.ofSeconds(2))
          .retryPolicy(RetryPolicy.DEFAULT.maxAttempts(1_000))
          .build();

  /**
   * Plays a role. The arguments are the URL, the history file and the {@link #words} of the role.
   */
  public static void main(String[] args) {
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endInOrder(main)));
    new RepeatRole(
            args[2],
            Boolean.parseBoolean(args[3]),
            Long.parseLong(args[4]),
            Long.parseLong(args[5]))
        .play(args[0], Path.of(args[1]));
  }

  private static void endInOrder(Thread main) {
    main.interrupt();
    try {
      main.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  List<String> words() {
    return List.of(name, "" + produces, "" + begin, "" + seed);
  }

  private void play(String url, Path history) {
    try (Client client = Client.open(url, history, name)) {
      System.out.println(READY);
      if (produces) {
        produce(client.queue);
      } else {
        work(client.queue);
      }
    } catch (InterruptedException ended) {
      // An interrupt is the regular end of a role.
    }
  }

  /** Returns the number of ids from which producers can have chosen so far. */
  static int ids(long begin) {
    return 1 + (int) ((System.nanoTime() - begin) * NEW_IDS_A_SECOND / 1_000_000_000);
  }

  static Message<String> message(int id) {
    return Message.of("order").id("order-" + id).rememberFor(REMEMBERED);
  }

  private void produce(TimedQueue<String> queue) throws InterruptedException {
    Random random = new Random(seed);
    while (true) {
      int ids = ids(begin);
      Set<Integer> chosen = new LinkedHashSet<>();
      for (int i = 0; i < BATCH; i++) {
        int oldest = i % 2 == 0 ? Math.max(0, ids - NEWEST) : 0;
        chosen.add(random.nextInt(oldest, ids));
      }
      List<Message<String>> messages = new ArrayList<>();
      for (int id : chosen) {
        messages.add(message(id).dueIn(Duration.ofMillis(random.nextInt(LATEST_DUE_MILLIS))));
      }
      try {
        queue.scheduleAll(messages);
      } catch (PunctualException repeatedLater) {
        // The recording contains the failure. At its end, the run schedules each id once more.
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private static void work(TimedQueue<String> queue) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    Worker worker =
        queue.work(
            OPTIONS,
            delivery -> {
              int millis = ThreadLocalRandom.current().nextInt(LONGEST_HANDLER_MILLIS);
              boolean unused = ended.await(millis, TimeUnit.MILLISECONDS);
            });
    try {
      worker.await();
    } finally {
      ended.countDown();
      worker.close();
    }
  }

  /** A client that records its history. */
  record Client(WheelTimer timer, Recording recording, Punctual punctual, TimedQueue<String> queue)
      implements AutoCloseable {
    static Client open(String url, Path history, String name) {
      Recording recording = Recording.to(history, name);
      WheelTimer timer = WheelTimer.create();
      Punctual punctual =
          Punctual.builder()
              .store(recording.store(openStore(url, timer)))
              .observer(recording.observer())
              .build();
      return new Client(
          timer, recording, punctual, recording.queue(punctual.queue(QUEUE, Codec.string())));
    }

    /** Tries until the store opens, because it may be unavailable when the process starts. */
    private static Store openStore(String url, WheelTimer timer) {
      while (true) {
        try {
          return Stores.open(StoreUrl.parse(url), timer);
        } catch (StoreUnavailableException e) {
          System.out.println(e);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
        }
      }
    }

    @Override
    public void close() {
      punctual.close(GRACE);
      recording.close();
      timer.close();
    }
  }
}
