package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportReport;
import io.punctual.migration.redisson.Orphans;
import io.punctual.migration.redisson.ReadyList;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports delayed queues that Redisson has written. */
final class RedissonImportTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);

  private static RedisProcess source;
  private static Punctual punctual;
  private String name;

  @BeforeAll
  static void start() {
    source = RedisProcess.start();
    punctual = Punctual.open("memory:");
  }

  @AfterAll
  static void stop() {
    punctual.close();
    source.close();
  }

  @BeforeEach
  void setName(TestInfo test) {
    name = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void clear() {
    Object unused = source.ask("FLUSHALL");
  }

  private TimedQueue<String> strings() {
    return punctual.queue(name, Codec.string());
  }

  private RedissonImport<String> importer() {
    return RedissonImport.from(source.url()).queue(name).to(strings(), RedissonPayloads.string());
  }

  private void offer(String... payloads) {
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      for (String payload : payloads) {
        redisson.offer(payload, HOUR);
      }
    }
  }

  private Map<String, Instant> scheduled() {
    Map<String, Instant> found = new TreeMap<>();
    for (StoredMessage<String> message : strings().browse(State.SCHEDULED, 1000).items()) {
      assertThat(message.id()).matches("redisson-[0-9a-f]{16}");
      found.put(message.payload(), message.dueAt());
    }
    return found;
  }

  private String snapshot() {
    return String.valueOf(
        source.ask(
            "EVAL",
            "local all = {} for _, k in ipairs(redis.call('KEYS', '*')) do"
                + " all[#all + 1] = k .. '=' .. redis.sha1hex(redis.call('DUMP', k)) end"
                + " table.sort(all) return all",
            "0"));
  }

  @Test
  void run_importsEachEntryAtItsDueTime_andLeavesNoKeyBehind() {
    Instant before = Instant.now();
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      for (int i = 0; i < 1200; i++) {
        redisson.offer("order-" + i, HOUR + i);
      }
    }

    ImportReport report = importer().run();

    assertThat(report.isClean()).isTrue();
    assertThat(report.found()).isEqualTo(1200);
    assertThat(report.scheduled()).isEqualTo(1200);
    assertThat(report.details()).containsEntry("current format", 1200L);
    assertThat(strings().counts().scheduled()).isEqualTo(1200);
    scheduled()
        .forEach(
            (payload, due) -> {
              long millis = HOUR + Long.parseLong(payload.substring("order-".length()));
              assertThat(due)
                  .isBetween(
                      before.plusMillis(millis).truncatedTo(ChronoUnit.MILLIS),
                      Instant.now().plusMillis(millis));
            });
    assertThat(source.ask("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void run_onAQueueWithoutEntries_changesNothing() {
    ImportReport report = importer().run();

    assertThat(report.isClean()).isTrue();
    assertThat(report.found()).isZero();
    assertThat(source.ask("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void oldFormat_isImported() {
    offer("current");
    new OldEntries(source, name).offer(0.75, "old", HOUR);

    ImportReport report = importer().run();

    assertThat(report.details())
        .containsEntry("current format", 1L)
        .containsEntry("old format", 1L);
    assertThat(scheduled()).containsOnlyKeys("current", "old");
  }

  @Test
  void entryWithoutADueTime_isKeptAndReported() {
    offer("dated", "undated");
    OldEntries.dropDueTime(source, name, "undated");

    ImportReport report = importer().run();

    assertThat(report.details()).containsEntry("without due time", 1L);
    assertThat(scheduled()).containsOnlyKeys("dated");
    assertThat(source.ask("LLEN", "punctual_import_unscored:{" + name + "}")).isEqualTo(1L);

    importer().abort();
    assertThat(source.ask("LLEN", "redisson_delay_queue:{" + name + "}")).isEqualTo(1L);
    assertThat(source.ask("DBSIZE")).isEqualTo(1L);
  }

  @Test
  void dueTimeWithoutAnEntry_isImportedUnlessItIsSkipped() {
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      redisson.offer("kept", HOUR);
      redisson.offer("dropped", HOUR);
      redisson.delayed.retainAll(List.of("kept"));
    }

    ImportReport skipped = importer().orphans(Orphans.SKIP).run();
    assertThat(skipped.details()).containsEntry("orphans", 0L);
    assertThat(scheduled()).containsOnlyKeys("kept");

    ImportReport imported = importer().run();
    assertThat(imported.details()).containsEntry("orphans", 1L);
    assertThat(scheduled()).containsOnlyKeys("kept", "dropped");
  }

  @Test
  void readyList_isLeftUnlessItIsMoved() {
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      redisson.ready.add("due");
      redisson.ready.add("due");
    }

    assertThat(importer().run().scheduled()).isZero();
    assertThat(source.ask("LLEN", name)).isEqualTo(2L);

    ImportReport moved = importer().ready(ReadyList.MOVE).run();
    assertThat(moved.details()).containsEntry("ready", 2L);
    assertThat(strings().take(10, Duration.ofMinutes(1)))
        .extracting(Message::payload)
        .containsExactly("due", "due");
    assertThat(source.ask("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void dryRun_countsAndChangesNothing() {
    offer("a", "b", "c", "not UTF-8");
    OldEntries.dropDueTime(source, name, "c");
    new OldEntries(source, name).offer(0.5, "old", 2 * HOUR);
    String before = snapshot();

    ImportReport report = importer().dryRun();

    assertThat(snapshot()).isEqualTo(before);
    assertThat(strings().counts().pending()).isZero();
    assertThat(report.dryRun()).isTrue();
    assertThat(report.found()).isEqualTo(4);
    assertThat(report.details())
        .containsEntry("current format", 4L)
        .containsEntry("old format", 1L)
        .containsEntry("without due time", 1L)
        .containsEntry("duplicates", 0L)
        .containsEntry("orphans", 0L)
        .containsEntry("staged", 0L);
    assertThat(report.earliest().orElseThrow())
        .isCloseTo(Instant.now().plusMillis(HOUR), within(1, ChronoUnit.MINUTES));
    assertThat(report.latest().orElseThrow())
        .isCloseTo(Instant.now().plusMillis(2 * HOUR), within(1, ChronoUnit.MINUTES));
  }

  @Test
  void unreadablePayload_isReportedAndStaysInTheStaging_andAbortPutsItBack() {
    offer("{\"json\":1}", "no json");
    TimedQueue<byte[]> bytes = punctual.queue(name, Codec.bytes());
    RedissonImport<byte[]> json =
        RedissonImport.from(source.url())
            .queue(name)
            .to(bytes, RedissonPayloads.json(Codec.bytes()));

    ImportReport report = json.run();

    assertThat(report.isClean()).isFalse();
    assertThat(report.left()).isEqualTo(1);
    assertThat(report.problems().get(0).reason()).startsWith("Its payload can't be read");
    assertThat(source.ask("ZCARD", "punctual_import:{" + name + "}")).isEqualTo(1L);
    assertThat(bytes.counts().scheduled()).isEqualTo(1);

    assertThat(json.run().left()).isEqualTo(1);
    assertThat(json.abort().details()).containsEntry("put back", 1L);
    assertThat(source.ask("ZCARD", "punctual_import:{" + name + "}")).isEqualTo(0L);
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      assertThat(redisson.delayed.readAll()).containsExactly("no json");
    }
  }

  @Test
  void tooManyUnreadablePayloads_stopTheRun() {
    offer("a", "b", "c", "d", "e");
    TimedQueue<byte[]> bytes = punctual.queue(name, Codec.bytes());

    ImportReport report =
        RedissonImport.from(source.url())
            .queue(name)
            .to(bytes, RedissonPayloads.json(Codec.bytes()))
            .batchSize(1)
            .maxLeft(2)
            .run();

    assertThat(report.complete()).isFalse();
    assertThat(source.ask("LLEN", "redisson_delay_queue:{" + name + "}")).isEqualTo(2L);
  }

  @Test
  void payloadAboveTheLimit_isReportedAndStays_andTheOthersAreImported() {
    offer("small", "x".repeat(1 << 20) + "y", "small too");

    ImportReport report = importer().run();

    assertThat(report.left()).isEqualTo(1);
    assertThat(report.problems().get(0).reason()).startsWith("Its message is refused");
    assertThat(scheduled()).containsOnlyKeys("small", "small too");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a {b} c", "with space", "{whole}", "x{y", "ends}", "größe:☃", "a{}b"})
  void names_thatAreUnusual_areFound(String queue) {
    name = "unusual";
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), queue)) {
      redisson.offer("payload", HOUR);
      redisson.ready.add("ready");
    }
    TimedQueue<String> strings = punctual.queue("unusual-" + queue.hashCode(), Codec.string());

    ImportReport report =
        RedissonImport.from(source.url())
            .queue(queue)
            .to(strings, RedissonPayloads.string())
            .ready(ReadyList.MOVE)
            .run();

    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(source.ask("DBSIZE")).isEqualTo(0L);
  }

  @Test
  void keyOfAWrongType_isRefused_andNothingChanges() {
    offer("payload");
    for (String key :
        List.of("punctual_import:{" + name + "}", "punctual_import_unscored:{" + name + "}")) {
      Object unused = source.ask("SET", key, "a string");
      String before = snapshot();

      assertThatThrownBy(() -> importer().run())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("WRONGTYPE");
      assertThat(snapshot()).isEqualTo(before);
      unused = source.ask("DEL", key);
    }
    assertThat(importer().run().scheduled()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ltrim", "zrem", "zadd", "lindex", "zscore"})
  void missingRight_isRefused_andNothingChanges(String command) {
    name = "rights";
    offer("payload");
    Object unused = source.ask("ACL", "SETUSER", "u", "reset", "on", ">p", "~*", "&*", "+@all");
    unused = source.ask("ACL", "SETUSER", "u", "-" + command);
    String before = snapshot();
    RedissonImport<String> limited =
        RedissonImport.from(source.url().replace("//", "//u:p@"))
            .queue(name)
            .to(strings(), RedissonPayloads.string());

    assertThatThrownBy(limited::run).isInstanceOf(PunctualException.class);
    assertThat(snapshot()).isEqualTo(before);
    unused = source.ask("ACL", "DELUSER", "u");
  }

  @Test
  void fullMemory_isRefused_andNothingChanges() {
    offer("payload");
    String before = snapshot();
    Object unused = source.ask("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThatThrownBy(() -> importer().patience(Duration.ZERO).run())
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("OOM");
    } finally {
      unused = source.ask("CONFIG", "SET", "maxmemory", "0");
    }
    assertThat(snapshot()).isEqualTo(before);
  }

  @Test
  void serverThatEvicts_isRefused() {
    try (RedisProcess evicting =
        RedisProcess.builder().config("maxmemory-policy", "allkeys-lru").start()) {
      RedissonImport<String> refused =
          RedissonImport.from(evicting.url()).queue(name).to(strings(), RedissonPayloads.string());

      assertThatThrownBy(refused::run)
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("evict");
    }
  }

  @Test
  void secondImporter_isRefused_whileTheFirstRuns() throws Exception {
    offer("payload");
    RedissonImport<String> first =
        importer().follow(true).quietPeriod(Duration.ofHours(1)).lease(Duration.ofHours(1));
    CompletableFuture<ImportReport> running = CompletableFuture.supplyAsync(first::run);
    org.awaitility.Awaitility.await().until(() -> strings().counts().scheduled() == 1);

    assertThatThrownBy(() -> importer().lease(Duration.ofMillis(500)).run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("one importer at a time");
    first.stop();
    assertThat(running.get(30, TimeUnit.SECONDS).complete()).isFalse();
  }

  @Test
  void follow_endsWhenTheQueueIsEmptyAndUnused() throws Exception {
    CompletableFuture<ImportReport> running;
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(source.url(), name)) {
      redisson.offer("early", HOUR);
      RedissonImport<String> follower = importer().follow(true).quietPeriod(Duration.ofMillis(200));
      running = CompletableFuture.supplyAsync(follower::run);
      org.awaitility.Awaitility.await().until(() -> strings().counts().scheduled() == 1);
      redisson.offer("late", HOUR);
      org.awaitility.Awaitility.await().until(() -> strings().counts().scheduled() == 2);
      assertThat(running).isNotDone();
    }
    assertThat(running.get(30, TimeUnit.SECONDS).isClean()).isTrue();
  }
}
