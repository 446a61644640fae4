package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.ImportProblem;
import io.punctual.migration.ImportReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Imports sorted sets that plain Redis commands fill, as in the delay queues that articles
 * describe.
 */
final class ZsetImportTest {
  private static RedisProcess redis;

  private final long due = Instant.now().plus(Duration.ofHours(1)).toEpochMilli();
  private Punctual punctual;
  private TimedQueue<String> queue;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void open() {
    Object unused = redis.ask("FLUSHALL");
    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private ZsetImport<String> from(String key) {
    return from(key, ScoreUnit.MILLISECONDS);
  }

  private ZsetImport<String> from(String key, ScoreUnit unit) {
    return ZsetImport.from(redis.url(), key, unit).to(queue, bytes -> new String(bytes, UTF_8));
  }

  private void ask(String... command) {
    Object unused = redis.ask(command);
  }

  private List<StoredMessage<String>> scheduled() {
    return queue.browse(State.SCHEDULED, 100).items();
  }

  @Test
  void run_zsetOfIdsWithHashOfJobs_keepsIdsAndDueTimes() {
    ask("ZADD", "delay", Long.toString(due), "order-1");
    ask("ZADD", "delay", Long.toString(due + 7), "order-2");
    ask("HSET", "jobs", "order-1", "{\"total\":1}", "order-2", "{\"total\":2}");

    ImportReport report = from("delay").jobs("jobs").run();

    assertThat(report.isClean()).isTrue();
    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(report.earliest()).contains(Instant.ofEpochMilli(due));
    assertThat(report.latest()).contains(Instant.ofEpochMilli(due + 7));
    StoredMessage<String> second = queue.find("order-2").orElseThrow();
    assertThat(second.payload()).isEqualTo("{\"total\":2}");
    assertThat(second.dueAt()).isEqualTo(Instant.ofEpochMilli(due + 7));
    assertThat(redis.ask("KEYS", "*")).isEqualTo(List.of());
  }

  @Test
  void run_zsetOfPayloadsInSeconds_roundsUpAndHashesIds() {
    long seconds = due / 1000;
    ask("ZADD", "delay:wait:sms", seconds + ".0005", "{\"to\":\"+491\"}");

    ImportReport report = from("delay:wait:sms", ScoreUnit.SECONDS).run();

    assertThat(report.scheduled()).isEqualTo(1);
    StoredMessage<String> message = scheduled().get(0);
    assertThat(message.id()).matches("zset-[0-9a-f]{32}");
    assertThat(message.dueAt()).isEqualTo(Instant.ofEpochMilli(seconds * 1000 + 1));
  }

  @Test
  void run_waitAndActiveKeys_importsBoth() {
    ask("ZADD", "delay:wait:orders", Long.toString(due), "{\"id\":7,\"v\":1}");
    ask("RPUSH", "delay:active:orders", "{\"id\":8}", "{\"id\":9}");

    ImportReport report =
        from("delay:wait:orders").ready("delay:active:orders").id(IdSource.field("id")).run();

    assertThat(report.scheduled()).isEqualTo(3);
    assertThat(queue.claim(10, Duration.ZERO).stream().map(Delivery::id))
        .containsExactlyInAnyOrder("8", "9");
    assertThat(scheduled().get(0).id()).isEqualTo("7");
  }

  @Test
  void run_equalElementsOfReadyList_areTwoMessages() {
    ask("RPUSH", "active", "ping", "ping");

    ImportReport report = from("wait").ready("active").run();

    assertThat(report.scheduled()).isEqualTo(2);
    assertThat(queue.claim(10, Duration.ZERO)).hasSize(2);
  }

  @Test
  void run_orphansAndUnreadableEntries_stayAtTheSource() {
    ask("ZADD", "delay", Long.toString(due), "lost", Long.toString(due), "kept", "inf", "never");
    ask("ZADD", "delay", Long.toString(due), "x".repeat(300));
    ask("HSET", "jobs", "kept", "1", "never", "2", "x".repeat(300), "3");

    ImportReport report = from("delay").jobs("jobs").run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.found()).isEqualTo(4);
    assertThat(report.left()).isEqualTo(3);
    assertThat(report.problems().stream().map(ImportProblem::reason))
        .anyMatch(reason -> reason.contains("orphan"))
        .anyMatch(reason -> reason.contains("inf"))
        .anyMatch(reason -> reason.contains("300 bytes"));
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(3L);
    assertThat(redis.ask("HLEN", "jobs")).isEqualTo(2L);
  }

  @Test
  void dryRun_payloadsWithoutIdThatBeginAlike_countsEachOfThem() {
    String alike = "no JSON ".repeat(30);
    for (int i = 0; i < 3; i++) {
      ask("ZADD", "delay", Long.toString(due), alike + i);
    }
    ImportReport report = from("delay").id(IdSource.field("id")).dryRun();

    assertThat(report.left()).isEqualTo(3);
    assertThat(report.problems().get(0).entry()).startsWith("no JSON").contains("SHA-256");
  }

  @Test
  void dryRun_memberThatIsNotUtf8_isNamedByItsBytes() {
    ask("EVAL", "return redis.call('ZADD', 'delay', ARGV[1], '\\255\\254')", "0", "" + due);
    ask("EVAL", "return redis.call('HSET', 'jobs', '\\255\\254', 'content')", "0");

    ImportReport report = from("delay").jobs("jobs").dryRun();

    assertThat(report.problems())
        .containsExactly(new ImportProblem("fffe", "Its member is not UTF-8"));
  }

  @Test
  void run_secondsReadAsMilliseconds_importsNothing() {
    ask("ZADD", "delay", Long.toString(due / 1000), "a");

    ImportReport report = from("delay", ScoreUnit.MILLISECONDS).run();

    assertThat(report.scheduled()).isZero();
    assertThat(report.problems().get(0).reason()).contains("1970", "unit");
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
  }

  @Test
  void run_millisecondsReadAsSeconds_importsNothing() {
    ask("ZADD", "delay", Long.toString(due), "a");

    ImportReport report = from("delay", ScoreUnit.SECONDS).run();

    assertThat(report.scheduled()).isZero();
    assertThat(report.problems().get(0).reason()).contains("unit");
  }

  @Test
  void run_scoreZeroWithAnyTime_isDueNow() {
    ask("ZADD", "delay", "0", "now");

    assertThat(from("delay").id(IdSource.member()).anyTime(true).run().scheduled()).isEqualTo(1);
    assertThat(queue.claim(1, Duration.ZERO).get(0).id()).isEqualTo("now");
  }

  @Test
  void run_twoEntriesWithOneId_keepsTheSecondAtTheSource() {
    ask("ZADD", "delay", Long.toString(due), "{\"id\":1,\"v\":1}");
    ask("ZADD", "delay", Long.toString(due), "{\"id\":1,\"v\":2}");

    ImportReport report = from("delay").id(IdSource.field("id")).batchSize(1).run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(report.left()).isEqualTo(1);
    assertThat(from("delay").id(IdSource.field("id")).abort().details())
        .containsEntry("put back", 1L);
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
  }

  @Test
  void run_pairsWithOneIdInConsecutiveBatches_importsOneOfEachPair() {
    int pairs = 100;
    for (int i = 0; i < pairs; i++) {
      ask("ZADD", "delay", Long.toString(due + 2L * i), "{\"id\":" + i + ",\"v\":1}");
      ask("ZADD", "delay", Long.toString(due + 2L * i + 1), "{\"id\":" + i + ",\"v\":2}");
    }
    // The calls of this store are asynchronous, so the batches overlap.
    try (Punctual onRedis = Punctual.open(redis.url())) {
      TimedQueue<String> target = onRedis.queue("orders", Codec.string());
      ImportReport report =
          ZsetImport.from(redis.url(), "delay", ScoreUnit.MILLISECONDS)
              .to(target, bytes -> new String(bytes, UTF_8))
              .id(IdSource.field("id"))
              .batchSize(1)
              .run();

      assertThat(report.scheduled()).isEqualTo(pairs);
      assertThat(report.left()).isEqualTo(pairs);
      assertThat(target.browse(State.SCHEDULED, 1000).items())
          .hasSize(pairs)
          .allMatch(message -> message.payload().contains("\"v\":1"));
    }
  }

  @Test
  void run_wrongTypeOfKey_failsWithoutAChange() {
    ask("SET", "delay", "x");

    assertThatThrownBy(() -> from("delay").run())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("WRONGTYPE");
    ask("DEL", "delay");
    ask("ZADD", "delay", Long.toString(due), "a");
    ask("SET", "jobs", "x");
    assertThatThrownBy(() -> from("delay").jobs("jobs").run()).hasMessageContaining("WRONGTYPE");
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
  }

  @Test
  void run_largePayload_staysAtTheSource() {
    ask("ZADD", "delay", Long.toString(due), "large", Long.toString(due), "small");
    ask("HSET", "jobs", "large", "x".repeat(2 << 20), "small", "");

    ImportReport report = from("delay").jobs("jobs").run();

    assertThat(report.scheduled()).isEqualTo(1);
    assertThat(queue.find("small").orElseThrow().payload()).isEmpty();
    assertThat(report.problems().get(0).reason()).contains("refused");
    assertThat(report.details()).doesNotContainKey("staged");
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(1L);
    assertThat(redis.ask("HSTRLEN", "jobs", "large")).isEqualTo((long) (2 << 20));
  }

  @Test
  void dryRun_anyEntries_changesNothing() {
    ask("ZADD", "delay", Long.toString(due), "a", Long.toString(due + 1), "orphan");
    ask("HSET", "jobs", "a", "1");
    ask("RPUSH", "ready", "b");
    ask("HSET", "jobs", "b", "2");

    ImportReport report = from("delay").jobs("jobs").ready("ready").dryRun();

    assertThat(report.dryRun()).isTrue();
    assertThat(report.found()).isEqualTo(3);
    assertThat(report.left()).isEqualTo(1);
    assertThat(report.latest()).contains(Instant.ofEpochMilli(due + 1));
    assertThat(queue.counts().scheduled()).isZero();
    assertThat(redis.ask("DBSIZE")).isEqualTo(3L);
  }

  @Test
  void run_unreadableAndVeryLateEntries_stayInTheOldQueue() {
    ask("ZADD", "delay", Long.toString(due), "bad", "32503680000000", "late");
    ZsetImport<String> importer =
        ZsetImport.from(redis.url(), "delay", ScoreUnit.MILLISECONDS)
            .to(
                queue,
                bytes -> {
                  if (bytes[0] == 'b') {
                    throw new IllegalArgumentException("no order");
                  }
                  return new String(bytes, UTF_8);
                })
            .anyTime(true);

    assertThat(importer.dryRun().left()).isEqualTo(2);
    assertThat(importer.run().left()).isEqualTo(2);
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(2L);
    assertThat(redis.ask("EXISTS", "punctual_zset_import:{delay}")).isEqualTo(0L);
  }

  @Test
  void run_differentMessageWithAnId_countsTheStagedEntry() {
    queue.schedule(Message.of("other").id("a").dueAt(Instant.ofEpochMilli(due)));
    ask("ZADD", "delay", Long.toString(due), "a");

    assertThat(from("delay").id(IdSource.member()).run().details()).containsEntry("staged", 1L);
  }

  @Test
  void runAndAbort_entriesStagedForADifferentTarget_areRefused() {
    ask("ZADD", "delay", Long.toString(due), "a");
    punctual.close();
    assertThatThrownBy(() -> from("delay").patience(Duration.ZERO).run())
        .isInstanceOf(PunctualException.class);
    punctual = Punctual.open("memory:");
    queue = punctual.queue("mails", Codec.string());

    assertThatThrownBy(() -> from("delay").run()).hasMessageContainingAll("mails", "orders");
    assertThatThrownBy(() -> from("delay").abort()).hasMessageContaining("different target");
    queue = punctual.queue("orders", Codec.string());
    assertThatThrownBy(() -> from("delay").id(IdSource.member()).run())
        .hasMessageContainingAll("ids by member", "ids by hash");
    assertThat(from("delay").run().scheduled()).isEqualTo(1);
    assertThat(redis.ask("KEYS", "*")).isEqualTo(List.of());
  }

  @Test
  void abort_afterARunThatLostItsStore_putsEverythingBack() {
    ask("ZADD", "delay", Long.toString(due), "a", Long.toString(due + 1), "b");
    ask("HSET", "jobs", "a", "1", "b", "2");
    ask("RPUSH", "ready", "c", "d");
    ask("HSET", "jobs", "c", "3", "d", "4");
    punctual.close();
    assertThatThrownBy(
            () -> from("delay").jobs("jobs").ready("ready").patience(Duration.ZERO).run())
        .isInstanceOf(PunctualException.class);
    assertThat(redis.ask("LLEN", "ready")).isEqualTo(0L);

    punctual = Punctual.open("memory:");
    queue = punctual.queue("orders", Codec.string());
    // An abort without the list or the hash of the unfinished run must be refused, so that it loses
    // nothing.
    assertThatThrownBy(() -> from("delay").jobs("jobs").abort()).hasMessageContaining("list");
    assertThatThrownBy(() -> from("delay").ready("ready").abort()).hasMessageContaining("hash");
    ImportReport report = from("delay").jobs("jobs").ready("ready").abort();

    assertThat(report.details()).containsEntry("put back", 2L);
    assertThat(redis.ask("LRANGE", "ready", "0", "-1")).isEqualTo(List.of("c", "d"));
    assertThat(redis.ask("HLEN", "jobs")).isEqualTo(4L);
    assertThat(redis.ask("ZCARD", "delay")).isEqualTo(2L);
  }

  @Test
  void run_followedBesideAWriter_importsNewEntriesUntilStopped() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    ZsetImport<String> running =
        from("delay").id(IdSource.member()).follow(true).progress(report -> started.countDown());
    CompletableFuture<ImportReport> report = CompletableFuture.supplyAsync(running::run);
    started.await();
    for (int i = 0; i < 50; i++) {
      ask("ZADD", "delay", Long.toString(due + i), "m" + i);
    }
    while (queue.counts().scheduled() < 50) {
      Thread.onSpinWait();
    }
    running.stop();
    assertThat(report.join().scheduled()).isEqualTo(50);
    assertThat(report.join().complete()).isFalse();
  }

  @Test
  void run_entryAlreadyInTheQueueWithAnotherTime_isReported() {
    queue.schedule(Message.of("mine").id("a").dueAt(Instant.ofEpochMilli(due + 5)));
    ask("ZADD", "delay", Long.toString(due), "a");

    ImportReport report = from("delay").id(IdSource.member()).run();

    assertThat(report.left()).isEqualTo(1);
    assertThat(queue.find("a").orElseThrow().payload()).isEqualTo("mine");
  }

  @Test
  void settings_outOfRange_areRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> from("x").lease(Duration.ZERO));
    assertThatIllegalArgumentException().isThrownBy(() -> from("x").batchSize(0).run());
  }
}
