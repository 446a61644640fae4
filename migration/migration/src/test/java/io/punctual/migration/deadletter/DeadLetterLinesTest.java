package io.punctual.migration.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.Recurrence;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadReason;
import io.punctual.kit.database.PostgresServer;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.memory.MemoryStore;
import io.punctual.migration.copy.Samples;
import io.punctual.migration.message.MessageImage;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests dead letters as lines of JSON, through all stores. */
class DeadLetterLinesTest {
  private static final String QUEUE = "dead-orders";

  private final WheelTimer timer = WheelTimer.create();
  private final List<String> refused = new ArrayList<>();

  @TempDir private Path folder;

  @AfterEach
  void closeTimer() {
    timer.close();
  }

  private Store open(String url) {
    return Stores.open(StoreUrl.parse(url), timer);
  }

  private static List<String> export(Store store) {
    List<String> lines = new ArrayList<>();
    assertThat(DeadLetterExport.of(store, QUEUE).to(lines::add)).isEqualTo(lines.size());
    return lines;
  }

  private ImportedDeadLetters load(Store store, List<String> lines) {
    return load(store, lines, false);
  }

  private ImportedDeadLetters load(Store store, List<String> lines, boolean dryRun) {
    try (DeadLetterImport load =
        DeadLetterImport.into(store, QUEUE)
            .dryRun(dryRun)
            .onRefused((line, why) -> refused.add(line + " " + why))) {
      for (int i = 0; i < lines.size(); i++) {
        load.add(i + 1, lines.get(i));
      }
      return load.finish();
    }
  }

  private static Map<String, Entry> dead(Store store) {
    return Samples.all(store, QUEUE).entrySet().stream()
        .filter(each -> each.getValue().state() == State.DEAD)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static TimedQueue<String> queue(Store store) {
    // The client is not closed, because its close() also closes the store.
    return Punctual.builder().store(store).build().queue(QUEUE, Codec.string());
  }

  private static MessageImage image(String id, Content content, byte[] history) {
    return MessageImage.of(
        new Entry(id, State.DEAD, content, 1000, 3, history, 0, false, 2000, null));
  }

  @Test
  @Tag("extended")
  void lines_throughAllStoresAndTwice_keepEveryPartWithoutDuplicates() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        Store first = MemoryStore.builder().build();
        Store journal = open("journal:" + folder.resolve("dead"));
        Store inRedis = open(redis.url());
        Store inPostgres = open(PostgresServer.shared().jdbcUrl() + "&createTables=true");
        Store h2 = open("jdbc:h2:mem:lines;DB_CLOSE_DELAY=-1?createTables=true")) {
      Samples.use(first, QUEUE, 20, Duration.ofMinutes(10));
      Samples.fill(first, QUEUE, 3000, 1 << 20, 11);
      Map<String, Entry> original = dead(first);
      assertThat(original).hasSizeGreaterThan(200);
      List<String> lines = export(first);
      for (Store store : List.of(journal, inRedis, inPostgres, h2)) {
        assertThat(load(store, lines, true)).isEqualTo(new ImportedDeadLetters(lines.size(), 0, 0));
        assertThat(Samples.all(store, QUEUE)).isEmpty();
        assertThat(load(store, lines)).isEqualTo(new ImportedDeadLetters(lines.size(), 0, 0));
        assertThat(load(store, lines)).isEqualTo(new ImportedDeadLetters(0, lines.size(), 0));
        Samples.expectSame(Samples.all(store, QUEUE), original);
        assertThat(export(store)).containsExactlyInAnyOrderElementsOf(lines);
      }
      assertThat(refused).isEmpty();
    }
  }

  @Test
  void add_failureOfAClient_isReadableAndComesBack() {
    try (Store first = MemoryStore.builder().build();
        Store second = MemoryStore.builder().build()) {
      TimedQueue<String> queue = queue(first);
      queue.schedule(
          Message.of("{\"cents\": 1.50}")
              .id("a")
              .header("tenant", "größe")
              .notAfter(Instant.parse("2030-01-02T03:04:05.678Z"))
              .recurring(Recurrence.every(Duration.ofHours(1))));
      queue.claim(1, Duration.ofMinutes(1)).get(0).retry(Duration.ZERO, "no \"luck\" 🚀");
      queue.claim(1, Duration.ofMinutes(1)).get(0).bury("negative amount");
      List<String> lines = export(first);
      assertThat(lines)
          .singleElement()
          .asString()
          .startsWith("{\"format\":1,\"id\":\"a\",")
          .contains(
              "\"deadReason\":\"BY_CALLER\",\"reason\":\"negative amount\"",
              "\"error\":\"no \\\"luck\\\" 🚀\"",
              "\"notAfter\":\"2030-01-02T03:04:05.678Z\"",
              "\"tenant\":\"größe\"")
          .endsWith("\"payload\":{\"cents\": 1.50}}");
      assertThat(load(second, lines).stored()).isEqualTo(1);
      StoredMessage<String> imported = queue(second).find("a").orElseThrow();
      StoredMessage<String> original = queue.find("a").orElseThrow();
      assertThat(imported.payload()).isEqualTo("{\"cents\": 1.50}");
      assertThat(imported.failures()).isEqualTo(original.failures()).hasSize(1);
      assertThat(imported.deadReason()).contains(DeadReason.BY_CALLER);
      assertThat(imported.recurrence()).isEqualTo(original.recurrence()).isPresent();
      assertThat(imported.occurrence()).isEqualTo(original.occurrence());
      assertThat(imported.diedAt()).isEqualTo(original.diedAt());
      assertThat(imported.attempts()).isEqualTo(original.attempts());
    }
  }

  @Test
  void add_idInUse_keepsTheMessageAndNamesTheLine() {
    try (Store first = MemoryStore.builder().build();
        Store second = MemoryStore.builder().build()) {
      TimedQueue<String> dying = queue(first);
      for (String id : List.of("dead", "live", "done", "free")) {
        dying.schedule(Message.of("old").id(id));
        dying.claim(1, Duration.ofMinutes(1)).get(0).bury("no use");
      }
      TimedQueue<String> queue = queue(second);
      queue.schedule(Message.of("newer").id("dead"));
      queue.claim(1, Duration.ofMinutes(1)).get(0).bury("other");
      queue.schedule(Message.of("newer").id("done").rememberFor(Duration.ofDays(1)));
      queue.claim(1, Duration.ofMinutes(1)).get(0).ack();
      queue.schedule(Message.of("newer").id("live").dueIn(Duration.ofHours(1)));
      Map<String, Entry> before = Samples.all(second, QUEUE);

      List<String> lines = export(first);
      for (boolean dryRun : new boolean[] {true, false}) {
        refused.clear();
        assertThat(load(second, lines, dryRun)).isEqualTo(new ImportedDeadLetters(1, 0, 3));
        assertThat(refused)
            .hasSize(3)
            .anyMatch(
                text -> text.matches("\\d .*'dead' of a dead letter that differs: .*payload.*"))
            .anyMatch(text -> text.matches("\\d .*'live' of a message that is SCHEDULED"))
            .anyMatch(text -> text.matches("\\d .*'done' of a finished message.*"));
      }
      Map<String, Entry> after = Samples.all(second, QUEUE);
      assertThat(after.remove("free")).isNotNull();
      Samples.expectSame(after, before);
    }
  }

  @Test
  void add_badLines_areNamedAndTheRestIsStored() {
    try (Store first = MemoryStore.builder().build();
        Store second = MemoryStore.builder().build()) {
      TimedQueue<String> queue = queue(first);
      queue.schedule(Message.of("1").id("a"));
      queue.claim(1, Duration.ofMinutes(1)).get(0).bury("no use");
      String good = export(first).get(0);
      List<String> lines =
          List.of(
              "",
              "{",
              "[1]",
              good + good,
              good.replace("\"format\":1", "\"format\":2"),
              good.replace("\"format\":1,", ""),
              good.replace("\"id\":\"a\"", "\"id\":\"\""),
              good.replace("\"id\":\"a\"", "\"id\":\"a\",\"id\":\"b\""),
              good.replace("\"attempts\":1", "\"attempts\":-1"),
              good.replace("\"dueAt\":\"", "\"dueAt\":\"x"),
              good.replaceAll("\"diedAt\":\"[^\"]*\"", "\"diedAt\":\"1960-01-01T00:00:00Z\""),
              good.replace("\"payload\":1", "\"payloadBase64\":\"?\""),
              good.replace("\"payload\":1", "\"payload\":1,\"payloadBase64\":\"AA==\""),
              good.replace("\"payload\":1", "\"more\":1"),
              good.replace("BY_CALLER", "BY_NOBODY"),
              good.replace("\"headers\":{}", "\"headers\":{\"a\":1}"),
              good);
      assertThat(load(second, lines)).isEqualTo(new ImportedDeadLetters(1, 0, 15));
      assertThat(refused)
          .extracting(text -> text.substring(0, text.indexOf(' ')))
          .containsExactly(
              "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16");
      assertThat(refused.get(4)).contains("export");
      assertThat(dead(second)).containsOnlyKeys("a");
    }
  }

  @Test
  void lines_anyBytes_comeBackUnchanged() {
    Random random = new Random(5);
    List<byte[]> payloads = new ArrayList<>();
    for (String text :
        List.of(
            "",
            " 1",
            "1 ",
            "{\"a\":\n1}",
            "\ufeff1",
            "1 2",
            "nul",
            "\"\\ud800\"",
            "1e400",
            "\"ü\"",
            "[".repeat(1000) + "]".repeat(1000),
            "[".repeat(1001) + "]".repeat(1001),
            "-0",
            "\u00a01")) {
      payloads.add(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(50)];
      random.nextBytes(bytes);
      payloads.add(bytes);
    }
    for (byte[] payload : payloads) {
      byte[] history = new byte[random.nextInt(20)];
      random.nextBytes(history);
      MessageImage image = image("ü\u0001\"\\", Content.of(payload), history);
      String line = DeadLetterLine.of(image);
      assertThat(line).doesNotContain("\n");
      assertThat(DeadLetterLine.parse(line).differencesFrom(image)).as(line).isEmpty();
    }
  }

  @Test
  void to_filterAndLimit_exportsOnlyTheMatches() {
    try (Store first = MemoryStore.builder().build()) {
      TimedQueue<String> queue = queue(first);
      for (int i = 0; i < 300; i++) {
        queue.schedule(Message.of("x").id("m-" + i));
        queue.claim(1, Duration.ofMinutes(1)).get(0).bury(i % 3 == 0 ? "refused" : "lost");
      }
      List<String> lines = new ArrayList<>();
      DeadLetterFilter filter = DeadLetterFilter.ALL.withFailure("refused");
      assertThat(DeadLetterExport.of(first, QUEUE).filter(filter).to(lines::add)).isEqualTo(100);
      assertThat(lines).allMatch(line -> line.contains("refused"));
      assertThat(DeadLetterExport.of(first, QUEUE).filter(filter.withLimit(7)).to(line -> {}))
          .isEqualTo(7);
      Instant now = Instant.now();
      DeadLetterFilter later = DeadLetterFilter.ALL.withDiedFrom(now.plusSeconds(60));
      assertThat(DeadLetterExport.of(first, QUEUE).filter(later).to(line -> {})).isZero();
      DeadLetterFilter before = DeadLetterFilter.ALL.withDiedBefore(now.plusSeconds(60));
      assertThat(DeadLetterExport.of(first, QUEUE).filter(before).to(line -> {})).isEqualTo(300);
    }
  }

  @Test
  void add_storeIsFull_failsAndCanBeRepeated() {
    try (RedisProcess redis = RedisProcess.start();
        Store first = MemoryStore.builder().build();
        Store second = open(redis.url())) {
      Samples.fill(first, QUEUE, 1000, 100, 3);
      List<String> lines = export(first);
      redis.ask("CONFIG", "SET", "maxmemory", "1");
      assertThatThrownBy(() -> load(second, lines))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("no room");
      assertThat(refused).hasSize(lines.size());
      redis.ask("CONFIG", "SET", "maxmemory", "0");
      assertThat(load(second, lines)).isEqualTo(new ImportedDeadLetters(lines.size(), 0, 0));
      Samples.expectSame(Samples.all(second, QUEUE), dead(first));
    }
  }
}
