package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.spi.Partition;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Clients of a PostgreSQL server that notify each other, and a server that is killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostgresServerTest {
  private PostgresServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.start();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  private JdbcStore open() {
    return JdbcStoreProvider.open(StoreUrl.parse(url()));
  }

  private String url() {
    return server.jdbcUrl() + "&createTables=true";
  }

  @Test
  void schedule_dueNow_reachesTheListenersOfAnotherClient() throws Exception {
    expectHints(open());
  }

  /** The listening client makes no claims, so that only a notification can reach it. */
  private void expectHints(JdbcStore opened) throws Exception {
    BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
    try (JdbcStore listening = opened;
        Punctual producer = Punctual.builder().store(open()).build()) {
      Partition partition =
          listening.partitions("hints").toCompletableFuture().get(10, TimeUnit.SECONDS).get(0);
      partition.onWakeUp(hints::add);
      TimedQueue<String> queue = producer.queue("hints", Codec.string());
      Long hint = null;
      for (int tries = 0; hint == null && tries < 100; tries++) {
        queue.schedule("order " + tries, Duration.ZERO);
        hint = hints.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(hint).isNotNull().isNotNegative();
    }
  }

  @Test
  void schedule_dueNowWithoutNotifications_isFoundByTheSafetyCheck() throws Exception {
    String url = url() + "&listen=false";
    CountDownLatch delivered = new CountDownLatch(1);
    try (Punctual consumer = Punctual.open(url);
        Punctual producer = Punctual.open(url)) {
      consumer.queue("silent", Codec.string()).work(delivery -> delivered.countDown());
      producer.queue("silent", Codec.string()).schedule("order", Duration.ZERO);
      assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  /** In a transaction, LISTEN would have no effect. */
  @Test
  void listen_poolWithoutAutoCommit_receivesHints() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setAutoCommit(false);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      expectHints(JdbcStore.builder().dataSource(pool).createTables(true).open());
    }
  }

  @Test
  void server_killedUnderLoad_losesNoConfirmedMessage() throws Exception {
    Set<String> confirmed = ConcurrentHashMap.newKeySet();
    try (Punctual punctual = Punctual.open(url())) {
      TimedQueue<String> queue = punctual.queue("killed", Codec.string());
      Thread producer = new Thread(() -> produce(queue, confirmed));
      producer.start();
      await().until(() -> confirmed.size() >= 50);
      server.kill();
      server.launch();
      int before = confirmed.size();
      await().atMost(Duration.ofMinutes(1)).until(() -> confirmed.size() >= before + 50);
      producer.interrupt();
      producer.join();
      List<String> all = List.copyOf(confirmed);
      CountDownLatch delivered = new CountDownLatch(all.size());
      Set<String> received = ConcurrentHashMap.newKeySet();
      queue.work(
          delivery -> {
            if (confirmed.contains(delivery.payload()) && received.add(delivery.payload())) {
              delivered.countDown();
            }
          });
      assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static void produce(TimedQueue<String> queue, Set<String> confirmed) {
    for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
      try {
        queue.schedule("order " + i, Duration.ZERO);
        confirmed.add("order " + i);
      } catch (RuntimeException e) {
        // Not confirmed, so the message may be there or not.
        if (e.getCause() instanceof InterruptedException) {
          return;
        }
      }
    }
  }
}
