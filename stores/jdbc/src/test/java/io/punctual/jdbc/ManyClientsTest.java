package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Many clients with idle workers share a queue. A message must cost about as many claims as with a
 * single client, although all clients receive the hints.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ManyClientsTest {
  private static final int CLIENTS = 12;
  private static final int MESSAGES = 40;

  /** The claims that a pause of the machine or the first messages can cost. */
  private static final int SLACK = 5 * CLIENTS;

  private final AtomicInteger claims = new AtomicInteger();
  private final AtomicInteger notifications = new AtomicInteger();
  private final AtomicInteger checks = new AtomicInteger();
  private long countedSince;
  private TestServer server;
  private HikariDataSource pool;
  private WatchedSource watched;

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setMaximumPoolSize(5 * CLIENTS);
    config.setMinimumIdle(0);
    pool = new HikariDataSource(config);
    watched = new WatchedSource(pool);
    watched.onStatement =
        sql -> {
          if (sql.contains("SET due_millis") || sql.endsWith("SKIP LOCKED")) {
            claims.incrementAndGet();
          }
          if (sql.contains("WITH ORDINALITY AS b")) {
            checks.incrementAndGet();
          }
          if (sql.contains("pg_notify")) {
            notifications.incrementAndGet();
          }
        };
  }

  @AfterAll
  void stopServer() {
    if (pool != null) {
      pool.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private Punctual open() {
    return Punctual.builder().store(openStore()).build();
  }

  private JdbcStore openStore() {
    return JdbcStore.builder().dataSource(watched.source()).createTables(true).threads(2).open();
  }

  /** Opens clients with workers, runs a test, and returns the statements of claims meanwhile. */
  private int statements(int clients, Scenario scenario) throws Exception {
    List<Punctual> open = new ArrayList<>();
    String name = "orders-" + UUID.randomUUID();
    Semaphore handled = new Semaphore(0);
    try {
      for (int i = 0; i < clients; i++) {
        open.add(open());
      }
      List<TimedQueue<String>> queues =
          open.stream().map(each -> each.queue(name, Codec.string())).toList();
      for (TimedQueue<String> queue : queues) {
        queue.work(WorkerOptions.builder().concurrency(4).build(), each -> handled.release());
      }
      return scenario.run(queues, handled);
    } finally {
      for (Punctual each : open) {
        each.close();
      }
    }
  }

  private interface Scenario {
    /** Returns the number of statements of claims. */
    int run(List<TimedQueue<String>> queues, Semaphore handled) throws Exception;
  }

  /** Schedules a message after another, so that the workers are idle at each message. */
  private int oneByOne(TimedQueue<String> producer, Semaphore handled) throws Exception {
    for (int i = 0; i < 5; i++) {
      scheduleAndAwait(producer, handled);
    }
    startCount();
    notifications.set(0);
    for (int i = 0; i < MESSAGES; i++) {
      scheduleAndAwait(producer, handled);
    }
    return claims.get();
  }

  private void startCount() {
    claims.set(0);
    countedSince = System.nanoTime();
  }

  /** Returns the claims that clients may make beside those of messages. */
  private int slack() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - countedSince);
    return SLACK + CLIENTS * Math.toIntExact(seconds); // their checks on a busy machine
  }

  private static void scheduleAndAwait(TimedQueue<String> producer, Semaphore handled)
      throws Exception {
    producer.schedule(Message.of("order"));
    assertThat(handled.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  private int ofOwnMessages(int clients) throws Exception {
    return statements(clients, (queues, handled) -> oneByOne(queues.get(0), handled));
  }

  private int ofMessagesOfAnotherClient(int clients) throws Exception {
    try (Punctual producer = open()) {
      return statements(
          clients,
          (queues, handled) ->
              oneByOne(producer.queue(queues.get(0).name(), Codec.string()), handled));
    }
  }

  private int ofFreedPlaces(int clients) throws Exception {
    return statements(
        clients,
        (queues, handled) -> {
          queues.get(0).setLimits(QueueLimits.none().concurrency(1));
          scheduleAndAwait(queues.get(0), handled);
          startCount();
          queues
              .get(0)
              .scheduleAll(IntStream.range(0, MESSAGES).mapToObj(i -> Message.of("m")).toList());
          assertThat(handled.tryAcquire(MESSAGES, 60, TimeUnit.SECONDS)).isTrue();
          return claims.get();
        });
  }

  @Test
  void schedule_clientHasAnIdleWorker_noOtherClientClaims() throws Exception {
    int one = ofOwnMessages(1);
    assertThat(ofOwnMessages(CLIENTS)).isLessThan(3 * one + slack());
    assertThat(notifications).hasValueLessThan(MESSAGES);
  }

  @Test
  void schedule_ofAnotherClient_mostlyOneClientClaims() throws Exception {
    int one = ofMessagesOfAnotherClient(1);
    assertThat(ofMessagesOfAnotherClient(CLIENTS)).isLessThan(3 * one + slack());
  }

  @Test
  void ack_queueHasALimit_mostlyOneClientClaims() throws Exception {
    int one = ofFreedPlaces(1);
    assertThat(ofFreedPlaces(CLIENTS)).isLessThan(3 * one + slack());
  }

  /** A process that schedules a message and ends, for example a cron job or a command. */
  @Test
  void close_rightAfterASchedule_stillNotifiesOtherClients() throws Exception {
    AtomicInteger handled = new AtomicInteger();
    String name = "orders-" + UUID.randomUUID();
    notifications.set(0);
    try (Punctual consumer = open()) {
      consumer.queue(name, Codec.string()).work(each -> handled.incrementAndGet());
      int before = notifications.get();
      try (Punctual producer = open()) {
        producer.queue(name, Codec.string()).schedule(Message.of("order"));
      }
      assertThat(notifications.get()).isGreaterThan(before);
      Awaitility.await().until(() -> handled.get() == 1);
    }
  }

  /** Each process made a safety check a second, which finds nothing while another is on duty. */
  @Test
  void untilNext_anotherClientIsOnDuty_rarelyAsksTheDatabase() throws Exception {
    String name = "orders-" + UUID.randomUUID();
    List<JdbcStore> stores = new ArrayList<>();
    try {
      List<Partition> partitions = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        JdbcStore store = openStore();
        stores.add(store);
        partitions.add(TestCalls.await(store.partitions(name)).get(0));
        partitions.get(i).onWakeUp(until -> {});
      }
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CLIENTS; i++) {
          String text = "1\thost\t1\t1.0\n0\t4\trunning\t" + name + "\tworker";
          var unused =
              TestCalls.await(stores.get(i).announce("client" + i, text, Duration.ofMinutes(5)));
        }
      }
      TestCalls consumer = new TestCalls(stores.get(0), name);
      TestCalls producer = new TestCalls(stores.get(1), name);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                producer.schedule("m" + UUID.randomUUID());
                // The claim finds the message at the latest when its hint has arrived.
                var unused = consumer.claim(10);
                return checksOf(stores, partitions, 1) < CLIENTS;
              });
      long began = System.nanoTime();
      int made = checksOf(stores, partitions, 20);
      long seconds = 1 + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
      assertThat(made).isLessThan((int) (20 + CLIENTS * seconds));
    } finally {
      stores.forEach(JdbcStore::close);
    }
  }

  private int checksOf(List<JdbcStore> stores, List<Partition> partitions, int rounds)
      throws Exception {
    checks.set(0);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < CLIENTS; i++) {
        var unused = TestCalls.await(stores.get(i).untilNext(List.of(partitions.get(i))));
      }
    }
    return checks.get();
  }
}
