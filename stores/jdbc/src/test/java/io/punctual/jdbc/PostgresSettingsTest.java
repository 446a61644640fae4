package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueQuery;
import io.punctual.TimedQueue;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.database.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests settings of the driver and of sessions that change the statements of the store. */
final class PostgresSettingsTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "preferQueryMode=simple",
        "preferQueryMode=extendedForPrepared",
        "preferQueryMode=extendedCacheEverything",
        "prepareThreshold=1",
        "binaryTransfer=false",
        "options=-c%20statement_timeout=1500%20-c%20lock_timeout=1%20-c%20bytea_output=escape",
        "options=-c%20default_transaction_isolation=serializable%20-c%20datestyle=German",
        "options=-c%20quote_all_identifiers=on%20-c%20timezone=Asia/Kathmandu"
      })
  void work_settings_areNoMatter(String settings) {
    try (TestServer server = PostgresServer.shared();
        Punctual punctual = Punctual.open(server.jdbcUrl() + "&createTables=true&" + settings)) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      Set<String> delivered = ConcurrentHashMap.newKeySet();
      queue.work(delivery -> delivered.add(delivery.id()));
      queue.scheduleAll(
          IntStream.range(0, 50)
              .mapToObj(i -> Message.of("x").id("i" + i).dueIn(Duration.ofMillis(i)))
              .toList());
      queue.schedule(Message.of("y").id("c").dueIn(Duration.ofHours(1)));
      queue.cancelAll(List.of("c", "none"));
      await().atMost(PATIENCE).until(() -> delivered.size() == 50);
      await().atMost(PATIENCE).until(() -> queue.counts().pending() == 0);
      assertThat(queue.find("c")).isEmpty();
    }
  }

  /** The names of queues are ASCII, and ids and payloads are bytes; other texts are not. */
  @Test
  void work_databaseOfLatin1_storesAllTexts() {
    try (TestServer server = PostgresServer.shared()) {
      String name = "latin" + UUID.randomUUID().toString().replace("-", "");
      server.execute(
          "CREATE DATABASE "
              + name
              + " ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
      String url = server.jdbcUrl().replaceFirst("/[^/?]*\\?", "/" + name + "?");
      PauseNote note = new PauseNote("日本 ☃ 😀 \\u0041", "Jürgen");
      try (Punctual punctual = Punctual.open(url + "&createTables=true")) {
        TimedQueue<String> queue = punctual.queue("orders", Codec.string());
        queue.pause(note);
        queue.schedule(Message.of("日本").id("☃").dueIn(Duration.ZERO));
        assertThat(queue.counts().pauseNote()).isEqualTo(note);
        assertThat(punctual.queues(QueueQuery.of("").limit(10)).items().get(0).counts().pauseNote())
            .isEqualTo(note);
        assertThat(queue.find("☃").orElseThrow().payload()).isEqualTo("日本");
      }
      server.execute("DROP DATABASE " + name);
    }
  }
}
