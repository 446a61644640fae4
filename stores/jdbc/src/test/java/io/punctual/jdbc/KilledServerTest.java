package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.database.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a database server that is killed while messages are scheduled. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass
@EnumSource
final class KilledServerTest {
  @Parameter private TestDatabase database;
  private TestServer server;

  @BeforeParameterizedClassInvocation
  void startServer() {
    server = database.start();
  }

  @AfterParameterizedClassInvocation
  void stopServer() {
    if (server != null) {
      server.close();
      // The test of the next database uses the same object, but its server may not be installed.
      server = null;
    }
  }

  @Test
  @Tag("extended")
  void server_killedUnderLoad_losesNoConfirmedMessage() throws Exception {
    Set<String> confirmed = ConcurrentHashMap.newKeySet();
    try (Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true")) {
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
        // The message was not confirmed, so it may have been stored or not.
        if (e.getCause() instanceof InterruptedException) {
          return;
        }
      }
    }
  }
}
