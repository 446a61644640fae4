package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.history.Breach;
import io.punctual.kit.history.History;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.history.Recording;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;

/**
 * A run of producers and workers, each a client with its own recording, and the check of all
 * histories at the end. For a single thread.
 */
final class FaultRun implements AutoCloseable {
  static final String QUEUE = "faults";

  /** How long workers lease messages. */
  static final Duration LEASE = Duration.ofSeconds(2);

  private static final int CONCURRENCY = 16;
  private static final int A_SECOND = 200;

  private final Path directory;
  private final String url;
  private final long seed;
  private final List<FaultClient> clients = new ArrayList<>();
  private final List<FaultClient> producers = new ArrayList<>();
  private final Map<String, Long> confirmed = new ConcurrentHashMap<>();
  private final long beginNanos = System.nanoTime();
  private boolean failsOver;

  /**
   * Creates a run without clients.
   *
   * @param directory the directory of the histories
   * @param url the URL of the store
   * @param seed determines all random choices
   */
  FaultRun(Path directory, String url, long seed) {
    this.directory = directory;
    this.url = url;
    this.seed = seed;
  }

  private FaultRole role(boolean produces, int number, long millis) {
    String name = (produces ? "produce-" : "work-") + clients.size();
    return new FaultRole(name, produces, number, millis, seed + clients.size());
  }

  private FaultClient inThread(FaultRole role) {
    return added(new ThreadClient(role, url, directory, this::confirmed));
  }

  private ProcessClient inProcess(FaultRole role) {
    return added(new ProcessClient(role, url, directory));
  }

  private <T extends FaultClient> T added(T client) {
    clients.add(client);
    return client;
  }

  private void confirmed(String id) {
    confirmed.put(id, System.nanoTime());
  }

  /**
   * Declares that a replica takes over during the run. The replica may lack the last claims,
   * because no replica confirms claims. The messages of these claims are then delivered again,
   * except messages whose ack was confirmed.
   */
  void expectFailOver() {
    failsOver = true;
  }

  /** Starts this many workers in threads of the test. */
  void work(int workers) {
    for (int i = 0; i < workers; i++) {
      inThread(role(false, CONCURRENCY, 1));
    }
  }

  /** Starts a worker in a separate process. Its handlers take this many milliseconds. */
  ProcessClient workInProcess(long millis) {
    return inProcess(role(false, CONCURRENCY, millis));
  }

  /**
   * Starts a producer that schedules this many messages in about this time, each due within two
   * seconds, and cancels some of them.
   */
  void produce(int messages, Duration howLong) {
    producers.add(inThread(role(true, messages, howLong.toMillis())));
  }

  /** Like {@link #produce(int, Duration)}, with 200 messages a second. */
  void produce(Duration howLong) {
    produce((int) (howLong.toMillis() * A_SECOND / 1000), howLong);
  }

  /** Like {@link #produce(int, Duration)}, in a separate process. */
  ProcessClient produceInProcess(int messages, Duration howLong) {
    ProcessClient producer = inProcess(role(true, messages, howLong.toMillis()));
    producers.add(producer);
    return producer;
  }

  /** Waits until all clients have reached the store. */
  void awaitReady() {
    Awaitility.await()
        .atMost(FaultPlan.PATIENCE)
        .until(() -> clients.stream().allMatch(FaultClient::isReady));
  }

  /** Waits until all producers have the replies to their calls. */
  void awaitProducers() {
    producers.forEach(FaultClient::awaitEnd);
    producers.clear();
  }

  /** Kills a client. The check at the end includes its history up to the kill. */
  void kill(ProcessClient client) {
    client.kill();
    producers.remove(client);
  }

  /**
   * Waits until the producers have their replies and the workers have settled all messages, ends
   * the clients in order, and checks their histories. Expects that no message was early, which
   * holds with every fault.
   */
  HistoryReport report() {
    awaitProducers();
    try (Recording recording = Recording.to(directory.resolve("judge.history"), "judge");
        Punctual punctual =
            Punctual.builder()
                .store(recording.store(RedisStore.builder().url(url).open()))
                .observer(recording.observer())
                .build()) {
      TimedQueue<String> queue = recording.queue(punctual.queue(QUEUE, Codec.string()));
      Awaitility.await()
          .atMost(FaultPlan.PATIENCE)
          .ignoreExceptions()
          .until(() -> isEmpty(queue.counts()));
      clients.forEach(FaultClient::end);
      recording.inventory(queue);
    }
    List<Path> histories = new ArrayList<>(clients.stream().map(FaultClient::history).toList());
    histories.add(directory.resolve("judge.history"));
    History history = History.read(histories);
    HistoryReport report =
        (failsOver ? history.withCrash(beginNanos, System.nanoTime()) : history).check();
    assertThat(report.delivered()).as("%s", report).isPositive();
    assertThat(report.count(Breach.EARLY)).as("%s", report).isZero();
    assertThat(report.undecided()).as("%s", report).isEmpty();
    return report;
  }

  private static boolean isEmpty(Counts counts) {
    return counts.scheduled() + counts.ready() + counts.leased() == 0;
  }

  /** Like {@link #report}; also expects that the histories show no broken promise. */
  HistoryReport expectClean() {
    return expectClean(Set.of());
  }

  /**
   * Like {@link #expectClean()}, for a queue into which a foreign program wrote messages with these
   * ids.
   */
  HistoryReport expectClean(Set<String> foreign) {
    HistoryReport report = report();
    assertThat(report.breaches())
        .filteredOn(breach -> !foreign.contains(breach.id()))
        .as("%s", report)
        .isEmpty();
    assertThat(report.buriedUnseen()).as("%s", report).isEqualTo(foreign.size());
    return report;
  }

  /**
   * Like {@link #report}; also expects that no message is lost that was confirmed to a producer in
   * a thread of the test.
   */
  HistoryReport expectConfirmedKept() {
    HistoryReport report = report();
    assertThat(lostAfterConfirmation(report)).as("%s", report).isEmpty();
    assertThat(report.buriedUnseen()).as("%s", report).isZero();
    return report;
  }

  /**
   * Like {@link #expectConfirmedKept}; also expects that no message was delivered after its
   * confirmed ack or cancel.
   */
  HistoryReport expectNothingLost() {
    HistoryReport report = expectConfirmedKept();
    assertThat(report.count(Breach.AFTER_ACK)).as("%s", report).isZero();
    assertThat(report.count(Breach.AFTER_CANCEL)).as("%s", report).isZero();
    return report;
  }

  /** Returns when the lost messages were confirmed, in {@link System#nanoTime}. */
  List<Long> lostAfterConfirmation(HistoryReport report) {
    return report.breaches().stream()
        .filter(found -> found.breach() == Breach.LOST)
        .map(HistoryReport.Found::id)
        .filter(confirmed::containsKey)
        .map(confirmed::get)
        .toList();
  }

  @Override
  public void close() {
    clients.forEach(FaultClient::close);
  }
}
