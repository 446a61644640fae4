package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the limits of a queue with several clients, each with connections of its own. */
final class LimitedClientsTest {
  private static final int CLIENTS = 3;
  private static final int MESSAGES = Boolean.getBoolean("punctual.thorough") ? 300 : 100;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final String name = "limited-" + UUID.randomUUID();
  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  /** Sets the limits of a queue, and schedules due messages; returns the queue of each client. */
  private List<TimedQueue<String>> queues(TestDatabase database, QueueLimits limits) {
    TestServer server = database.shared();
    open.add(server);
    List<TimedQueue<String>> queues = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
      open.add(punctual);
      queues.add(punctual.queue(name, Codec.string()));
    }
    queues.get(0).setLimits(limits);
    queues.get(0).scheduleAll(IntStream.range(0, MESSAGES).mapToObj(i -> Message.of("m")).toList());
    return queues;
  }

  private static WorkerOptions options() {
    return WorkerOptions.builder().concurrency(20).build();
  }

  @ParameterizedTest
  @EnumSource
  void rate_severalClients_neverAboveTheRateAndTheBurst(TestDatabase database) {
    int rate = 200;
    int burst = 20;
    Queue<Instant> claims = new ConcurrentLinkedQueue<>();
    List<TimedQueue<String>> queues =
        queues(database, QueueLimits.none().rate(rate, Duration.ofSeconds(1), burst));
    queues.forEach(queue -> queue.work(options(), each -> claims.add(each.claimedAt())));
    Awaitility.await().atMost(PATIENCE).until(() -> claims.size() == MESSAGES);
    List<Instant> sorted = claims.stream().sorted().toList();
    for (int from = 0; from < MESSAGES; from++) {
      for (int to = from; to < MESSAGES; to++) {
        double seconds = Duration.between(sorted.get(from), sorted.get(to)).toNanos() / 1e9;
        assertThat(to - from + 1.0).isLessThanOrEqualTo(burst + rate * seconds + 0.001);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void concurrency_severalClients_reachesTheLimitAndNeverMore(TestDatabase database) {
    int limit = 7;
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger handled = new AtomicInteger();
    CompletableFuture<Void> full = new CompletableFuture<>();
    List<TimedQueue<String>> queues = queues(database, QueueLimits.none().concurrency(limit));
    queues.forEach(
        queue ->
            queue.workStages(
                options(),
                delivery -> {
                  int now = running.incrementAndGet();
                  most.accumulateAndGet(now, Math::max);
                  if (now == limit) {
                    full.complete(null);
                  }
                  return full.thenRun(
                      () -> {
                        running.decrementAndGet();
                        handled.incrementAndGet();
                      });
                }));
    Awaitility.await().atMost(PATIENCE).until(() -> handled.get() == MESSAGES);
    assertThat(most).hasValue(limit);
  }
}
