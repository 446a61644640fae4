package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Durability;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.testkit.history.Breach;
import io.punctual.testkit.history.History;
import io.punctual.testkit.history.HistoryReport;
import io.punctual.testkit.history.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Producers and workers, each a client of its own with a recording, while the servers fail; and the
 * judgement at the end. For one thread.
 */
final class TopologyRun implements AutoCloseable {
  static final String QUEUE = "faults";

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration BETWEEN_MESSAGES = Duration.ofMillis(5);

  private final Path directory;
  private final String url;
  private final List<Client> clients = new ArrayList<>();
  private final List<CompletableFuture<?>> producing = new ArrayList<>();
  private final Set<String> confirmed = ConcurrentHashMap.newKeySet();

  /** A client with its recording. */
  private final class Client implements AutoCloseable {
    private final Recording recording;
    private final Punctual punctual;
    private final TimedQueue<String> queue;

    Client(String name) {
      recording = Recording.to(directory.resolve(name + ".history"), name);
      punctual =
          Punctual.builder()
              .store(recording.store(RedisStore.builder().url(url).open()))
              .listener(recording.listener())
              .build();
      queue = recording.queue(punctual.queue(QUEUE, Codec.string()));
    }

    @Override
    public void close() {
      punctual.close(Duration.ofSeconds(5));
      recording.close();
    }
  }

  TopologyRun(Path directory, String url) {
    this.directory = directory;
    this.url = url;
  }

  private Client newClient(String role) {
    Client client = new Client(role + "-" + clients.size());
    clients.add(client);
    return client;
  }

  /** Starts so many workers. */
  void work(int workers) {
    for (int i = 0; i < workers; i++) {
      newClient("worker")
          .queue
          .work(WorkerOptions.builder().lease(LEASE).build(), delivery -> Thread.sleep(1));
    }
  }

  /** Starts to schedule messages, one every few milliseconds, due within a second. */
  void produce(Duration howLong) {
    Client client = newClient("producer");
    String name = "m" + clients.size() + "-";
    producing.add(
        CompletableFuture.runAsync(
            () -> produce(client.queue, name, howLong), task -> new Thread(task).start()));
  }

  private void produce(TimedQueue<String> queue, String name, Duration howLong) {
    long end = System.nanoTime() + howLong.toNanos();
    List<CompletionStage<?>> asked = new ArrayList<>();
    for (int i = 0; System.nanoTime() - end < 0; i++) {
      Duration delay = Duration.ofMillis(i * 37 % 1000);
      asked.add(
          queue
              .scheduleAsync(Message.of("payload").id(name + i).dueIn(delay))
              .thenAccept(scheduled -> confirmed.add(scheduled.id())));
      if (i % 10 == 9) {
        asked.add(queue.cancelAsync(name + (i - 5)));
      }
      java.util.concurrent.locks.LockSupport.parkNanos(BETWEEN_MESSAGES.toNanos());
    }
    asked.forEach(TopologyRun::ended);
  }

  private static void ended(CompletionStage<?> asked) {
    try {
      asked.toCompletableFuture().get(90, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      if (!(e.getCause() instanceof PunctualException)) {
        throw new CompletionException(e.getCause());
      }
      // The caller was told, and it was recorded: what became of it, the checker works out.
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new CompletionException(e);
    }
  }

  /**
   * Waits until the producers have their answers and the workers have settled everything, and
   * judges the run.
   */
  HistoryReport report() {
    producing.forEach(CompletableFuture::join);
    Client judge = newClient("judge");
    TimedQueue<String> queue = judge.queue.withDurability(Durability.NONE);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> isEmpty(queue.counts()));
    clients.stream().filter(client -> client != judge).forEach(Client::close);
    judge.recording.inventory(judge.queue);
    clients.clear();
    judge.close();
    HistoryReport report = History.read(files()).check();
    assertThat(report.delivered()).as("%s", report).isPositive();
    assertThat(report.count(Breach.EARLY)).as("%s", report).isZero();
    assertThat(report.buriedUnseen()).as("%s", report).isZero();
    return report;
  }

  /** As {@link #report}; and no promise was broken. */
  HistoryReport expectClean() {
    HistoryReport report = report();
    assertThat(report.breaches()).as("%s", report).isEmpty();
    assertThat(report.undecided()).as("%s", report).isEmpty();
    return report;
  }

  /** As {@link #report}; and nothing is lost that was confirmed. */
  HistoryReport expectConfirmedKept() {
    HistoryReport report = report();
    assertThat(report.breaches())
        .as("%s", report)
        .noneMatch(found -> found.breach() == Breach.LOST && confirmed.contains(found.id()));
    return report;
  }

  /** As {@link #expectConfirmedKept}; and nothing comes back that was finished. */
  HistoryReport expectNothingLost() {
    HistoryReport report = expectConfirmedKept();
    assertThat(report.count(Breach.AFTER_ACK)).as("%s", report).isZero();
    assertThat(report.count(Breach.AFTER_CANCEL)).as("%s", report).isZero();
    return report;
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() == 0;
  }

  private List<Path> files() {
    try (var files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".history")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    clients.forEach(Client::close);
  }
}
