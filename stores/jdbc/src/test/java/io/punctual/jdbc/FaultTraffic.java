package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.history.Breach;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.history.Recording;
import io.punctual.spi.StoreUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;

/**
 * The traffic of a producer and two workers, during which a test injects faults into the database.
 * Each of the three is a client that records its history. The producer schedules messages that are
 * due within two seconds, and cancels some of them. For a single thread.
 */
final class FaultTraffic implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final WorkerOptions OPTIONS =
      WorkerOptions.builder().concurrency(16).lease(Duration.ofSeconds(2)).build();
  private static final int LATEST_DUE_MILLIS = 2000;
  private static final int BURST = 10;
  private static final int BURST_MILLIS = 50;
  private static final int FIRST_MESSAGES = 100;

  private final Path directory;
  private final String url;
  private final Random random;
  private final List<Client> clients = new ArrayList<>();
  private final Thread producer;
  private final List<Crash> crashes = new ArrayList<>();
  private volatile boolean ending;
  private volatile int asked;

  /** The times of {@link System#nanoTime} before and after a crash of the database. */
  private record Crash(long from, long to) {}

  /** A client with its history. */
  private record Client(
      Path history, Recording recording, Punctual punctual, TimedQueue<String> queue) {
    static Client open(Path directory, String name, String url) {
      Path history = directory.resolve(name + ".history");
      Recording recording = Recording.to(history, name);
      Punctual punctual =
          Punctual.builder()
              .store(recording.store(JdbcStoreProvider.open(StoreUrl.parse(url))))
              .observer(recording.observer())
              .build();
      return new Client(
          history, recording, punctual, recording.queue(punctual.queue("faults", Codec.string())));
    }

    void close() {
      punctual.close(GRACE);
      recording.close();
    }
  }

  private FaultTraffic(Path directory, String url, long seed) {
    this.directory = directory;
    this.url = url;
    random = new Random(seed);
    Client producing = open("producer");
    for (int i = 0; i < 2; i++) {
      open("worker-" + i).queue().work(OPTIONS, delivery -> {});
    }
    producer = new Thread(() -> produce(producing.queue()), "producer");
  }

  private Client open(String name) {
    Client client = Client.open(directory, name, url);
    clients.add(client);
    return client;
  }

  /** Starts the traffic, and waits until the producer has sent 100 messages. */
  static FaultTraffic start(Path directory, String url, long seed) {
    FaultTraffic traffic = new FaultTraffic(directory, url, seed);
    traffic.producer.start();
    Awaitility.await().atMost(PATIENCE).until(() -> traffic.asked >= FIRST_MESSAGES);
    return traffic;
  }

  /**
   * Runs an action that may crash the database. A crash may lose claims of the last second, because
   * claims commit without waiting for the disk or a replica.
   */
  void crash(Crashing action) throws Exception {
    long from = System.nanoTime();
    action.run();
    crashes.add(new Crash(from, System.nanoTime()));
  }

  /** An action that may crash the database. */
  interface Crashing {
    void run() throws Exception;
  }

  private void produce(TimedQueue<String> queue) {
    List<CompletionStage<?>> stages = new ArrayList<>();
    for (int i = 0; !ending; i++) {
      Duration delay = Duration.ofMillis(random.nextInt(LATEST_DUE_MILLIS));
      stages.add(queue.scheduleAsync(Message.of("payload").id("m-" + i).dueIn(delay)));
      if (random.nextInt(5) == 0) {
        stages.add(queue.cancelAsync("m-" + random.nextInt(i + 1)));
      }
      if (i % BURST == BURST - 1) {
        LockSupport.parkNanos(Duration.ofMillis(BURST_MILLIS).toNanos());
      }
      asked = i + 1;
    }
    stages.forEach(FaultTraffic::awaitAnswer);
  }

  /**
   * Waits for the reply to a call. Ignores a failure of the call: it is recorded in the history,
   * from which the checker derives the outcome.
   */
  private static void awaitAnswer(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof PunctualException)) {
        throw e;
      }
    }
  }

  /** Ends the traffic, and expects that the history breaks no promise of the queue. */
  HistoryReport expectClean() throws InterruptedException {
    HistoryReport report = report();
    assertThat(report.breaches()).as("%s", report).isEmpty();
    return report;
  }

  /**
   * Ends the traffic after a step of the database's clock, which may end leases early. Expects that
   * no message was lost, and none was delivered after a confirmed ack or cancel.
   */
  HistoryReport expectNothingLost() throws InterruptedException {
    HistoryReport report = report();
    for (Breach breach : List.of(Breach.LOST, Breach.AFTER_ACK, Breach.AFTER_CANCEL)) {
      assertThat(report.count(breach)).as("%s", report).isZero();
    }
    return report;
  }

  /**
   * Ends the producer, waits until all messages are settled, closes the clients, and checks their
   * histories. Expects that no message was early.
   */
  private HistoryReport report() throws InterruptedException {
    ending = true;
    producer.join(PATIENCE.toMillis());
    assertThat(producer.isAlive()).as("the producer waits for answers").isFalse();
    Client judge = open("judge");
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> isEmpty(judge.queue().counts()));
    for (Client client : clients) {
      if (!client.equals(judge)) {
        client.close();
      }
    }
    judge.recording().inventory(judge.queue());
    judge.close();
    History history = History.read(clients.stream().map(Client::history).toList());
    for (Crash crash : crashes) {
      history = history.withCrash(crash.from(), crash.to());
    }
    HistoryReport report = history.check();
    clients.clear();
    assertThat(report.delivered()).as("%s", report).isPositive();
    assertThat(report.count(Breach.EARLY)).as("%s", report).isZero();
    assertThat(report.undecided()).as("%s", report).isEmpty();
    return report;
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() == 0;
  }

  @Override
  public void close() {
    ending = true;
    clients.forEach(Client::close);
  }
}
