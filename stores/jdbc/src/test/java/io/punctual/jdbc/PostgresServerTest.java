package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import io.punctual.spi.Partition;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests clients of a PostgreSQL server that notify each other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PostgresServerTest {
  private TestServer server;

  @BeforeAll
  void startServer() {
    server = PostgresServer.shared();
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

  /**
   * Expects that a client receives hints of a second client. The listening client makes no claims,
   * so only a notification can give it the hint.
   */
  private void expectHints(JdbcStore opened) throws Exception {
    BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
    try (JdbcStore listening = opened;
        Punctual producer = Punctual.builder().store(open()).build()) {
      Partition partition =
          listening.partitions("hints").toCompletableFuture().get(60, TimeUnit.SECONDS).get(0);
      partition.onWakeUp(hints::add);
      TimedQueue<String> queue = producer.queue("hints", Codec.string());
      Long hint = null;
      for (int tries = 0; hint == null && tries < 600; tries++) {
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

  /**
   * The store must turn autocommit on to listen, because LISTEN has no effect before the end of its
   * transaction.
   */
  @Test
  void listen_poolWithoutAutoCommit_receivesHints() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(server.jdbcUrl());
    config.setAutoCommit(false);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      expectHints(JdbcStore.builder().dataSource(pool).createTables(true).open());
    }
  }
}
