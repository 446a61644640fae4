package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Handler;
import io.punctual.Message;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Stages a late queue for each cause, and lets the doctor of another client name the cause. */
class DoctorCommandTest {
  private static final Duration WHILE_TESTED = Duration.ofMinutes(10);

  private static RedisProcess redis;
  private static Punctual punctual;

  private final Cli cli = new Cli();

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    punctual = Punctual.open(redis.url());
  }

  @AfterAll
  static void end() {
    punctual.close(Duration.ZERO);
    redis.close();
  }

  private static TimedQueue<byte[]> queue(String name) {
    return punctual.queue(name, Codec.bytes());
  }

  /** Schedules messages that are overdue for a minute. */
  private static TimedQueue<byte[]> lateQueue(String name, int messages) {
    TimedQueue<byte[]> queue = queue(name);
    for (int i = 0; i < messages; i++) {
      queue.schedule(
          Message.of("{}".getBytes(UTF_8))
              .id("m" + i)
              .dueAt(Instant.now().minus(Duration.ofMinutes(1))));
    }
    return queue;
  }

  private static Worker worker(TimedQueue<byte[]> queue, int concurrency, Handler<byte[]> handler) {
    Worker worker = queue.work(WorkerOptions.builder().concurrency(concurrency).build(), handler);
    awaitListed(queue);
    return worker;
  }

  private static void awaitListed(TimedQueue<byte[]> queue) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> punctual.workers().stream().anyMatch(each -> each.queue().equals(queue.name())));
  }

  /** Lets the leases of all messages of the queue end without a settlement, in a client each. */
  private static void loseLeases(String queue, int times) {
    for (int i = 0; i < times; i++) {
      try (Punctual victim = Punctual.open(redis.url())) {
        List<Delivery<byte[]>> lost =
            victim
                .queue(queue, Codec.bytes())
                .claim(
                    100, ClaimOptions.DEFAULT.lease(Duration.ofMillis(10)).maxWait(WHILE_TESTED));
        assertThat(lost).isNotEmpty();
        Delivery<byte[]> last = lost.get(lost.size() - 1);
        await().atMost(Duration.ofMinutes(1)).until(() -> last.remaining().isZero());
      }
    }
  }

  private JsonNode diagnose(String queue, String... options) {
    String[] args = {"doctor", queue, "-o", "json", "--store", redis.url()};
    String[] all = Arrays.copyOf(args, args.length + options.length);
    System.arraycopy(options, 0, all, args.length, options.length);
    return cli.run(all).json();
  }

  private static void assertCause(JsonNode diagnosis, String cause, String... words) {
    assertThat(diagnosis.get("cause").asString()).as(diagnosis.toString()).isEqualTo(cause);
    assertThat(diagnosis.get("reason").asString()).contains(words);
    assertThat(diagnosis.get("next").asString()).isNotEmpty();
  }

  @Test
  void pausedQueue_isNamedWithItsNote() {
    lateQueue("paused", 2).pause(new PauseNote("the bank moves", "ann"));

    assertCause(
        diagnose("paused"), "PAUSED", "by ann (the bank moves)", "2 messages are due", "1 min");
  }

  @Test
  void noWorker_isNamed() {
    TimedQueue<byte[]> unused = lateQueue("no-worker", 1);

    assertCause(diagnose("no-worker"), "NO_WORKER", "1 message is due");
    assertThat(cli.run("doctor", "no-worker", "--store", redis.url()).exitCode()).isEqualTo(1);
    Cli unread = new Cli().withoutReader();
    assertThat(unread.run("doctor", "no-worker", "--store", redis.url()).exitCode()).isEqualTo(1);
    assertThat(cli.run("doctor", "no-worker", "--store", redis.url()).out())
        .containsPattern("cause +no worker");
  }

  @Test
  void noWorker_isNamed_alsoIfOnlyItsExpiredLeasesAreLeft() {
    TimedQueue<byte[]> unused = lateQueue("left", 2);
    loseLeases("left", 1);
    await().atMost(Duration.ofMinutes(1)).until(() -> diagnose("left").get("late").asBoolean());

    assertCause(diagnose("left"), "NO_WORKER", "'left'");
  }

  @Test
  void pausedWorkers_areNamed() {
    TimedQueue<byte[]> queue = queue("workers-paused");
    Worker worker = queue.work(delivery -> {});
    worker.pause();
    // The start of a further worker announces all workers of the client at once.
    Worker unused = queue("nudge").work(delivery -> {});
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                punctual.workers().stream()
                    .anyMatch(each -> each.queue().equals(queue.name()) && each.isPaused()));
    lateQueue("workers-paused", 1);

    assertCause(diagnose("workers-paused"), "WORKERS_PAUSED", "The only worker");
  }

  @Test
  void limitOfTheRate_isNamed() {
    TimedQueue<byte[]> queue = queue("rate");
    queue.setLimits(QueueLimits.none().rate(1, Duration.ofDays(1), 1));
    worker(queue, 4, delivery -> {});
    lateQueue("rate", 3);
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().ready() == 2);

    assertCause(diagnose("rate"), "RATE_LIMIT", "rate 1 per PT24H", "2 messages are due");
  }

  @Test
  void limitOfTheConcurrency_isNamed() throws Exception {
    TimedQueue<byte[]> queue = queue("concurrency");
    queue.setLimits(QueueLimits.none().concurrency(2));
    CountDownLatch end = new CountDownLatch(1);
    worker(queue, 4, delivery -> end.await());
    lateQueue("concurrency", 3);
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().leased() == 2);

    assertCause(diagnose("concurrency"), "CONCURRENCY_LIMIT", "2 leased messages");
    end.countDown();
  }

  @Test
  void busyHandlers_areNamed() throws Exception {
    TimedQueue<byte[]> queue = queue("busy");
    CountDownLatch end = new CountDownLatch(1);
    worker(queue, 2, delivery -> end.await());
    lateQueue("busy", 5);
    await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().leased() == 2);

    assertCause(diagnose("busy"), "BUSY_HANDLERS", "All 2 handlers", "3 messages are due");
    end.countDown();
  }

  @Test
  void lostLeases_areNamed_alsoWhileHandlersAreBusy() throws Exception {
    TimedQueue<byte[]> queue = lateQueue("lost", 4);
    loseLeases("lost", 1);
    CountDownLatch end = new CountDownLatch(1);
    worker(queue, 1, delivery -> end.await());

    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> diagnose("lost").get("cause").asString().equals("LOST_LEASES"));
    assertCause(diagnose("lost"), "LOST_LEASES", "4 messages were delivered again");
    end.countDown();
  }

  @Test
  void poisonMessage_isNamed() throws Exception {
    TimedQueue<byte[]> queue = lateQueue("poison", 1);
    loseLeases("poison", 3);
    CountDownLatch end = new CountDownLatch(1);
    worker(queue, 1, delivery -> end.await());
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> queue.find("m0").orElseThrow().attempts() == 4);

    assertCause(diagnose("poison"), "POISON_MESSAGE", "'m0' was delivered 4 times");
    end.countDown();
  }

  @Test
  void poisonMessage_isNamed_alsoIfItUsesUpTheLimit() throws Exception {
    TimedQueue<byte[]> queue = lateQueue("poison-limit", 1);
    queue.setLimits(QueueLimits.none().concurrency(1));
    loseLeases("poison-limit", 2);
    CountDownLatch end = new CountDownLatch(1);
    worker(queue, 2, delivery -> end.await());
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> queue.find("m0").orElseThrow().attempts() == 3);
    lateQueue("poison-limit", 2);

    assertCause(diagnose("poison-limit"), "POISON_MESSAGE", "'m0' was delivered 3 times");
    end.countDown();
  }

  @Test
  void messageThatFailsAgainAndAgain_isNamed() {
    TimedQueue<byte[]> queue = lateQueue("failing", 1);
    for (int i = 0; i < 3; i++) {
      queue.claim(1, WHILE_TESTED).get(0).retry(Duration.ofMillis(i == 2 ? 600_000 : 0), "no card");
    }
    worker(queue, 1, delivery -> {});

    assertCause(diagnose("failing"), "POISON_MESSAGE", "'m0' has failed 3 times");
  }

  @Test
  void wrongNumberOfPartitions_isNamed() {
    worker(queue("partitions"), 1, delivery -> {});
    queue("partitions").schedule("{}".getBytes(UTF_8), Duration.ofHours(1));

    assertCause(
        diagnose("partitions", "--partitions", "8"), "PARTITIONS", "1 partition, not the 8");
    assertThat(diagnose("partitions", "--partitions", "1").get("cause").asString())
        .isEqualTo("NONE");
  }

  @Test
  void storeThatIsAway_isNamed() {
    RedisProcess away = RedisProcess.start();
    String url = away.url();
    away.close();

    Cli.Result result = cli.run("doctor", "q", "-o", "json", "--store", url);

    assertCause(result.json(), "STORE_AWAY", "Connection refused");
    assertThat(result.exitCode()).isEqualTo(5);
  }

  @Test
  void userWhoMayOnlyRead_isNamed() {
    TimedQueue<byte[]> unused = lateQueue("read-only", 1);
    Object created =
        redis.ask("ACL", "SETUSER", "viewer", "on", ">secret", "~*", "&*", "+@all", "-@write");
    assertThat(created).hasToString("OK");
    String url = redis.url().replace("redis://", "redis://viewer:secret@");

    JsonNode diagnosis = cli.run("doctor", "read-only", "-o", "json", "--store", url).json();

    assertCause(diagnosis, "STORE_REFUSES", "the user has no right to run", "ZADD");
  }

  @Test
  void databaseThatIsReadOnly_isNamed_andMissingRightsToo(@TempDir Path folder) throws Exception {
    String url = "jdbc:h2:" + folder.resolve("shop");
    try (Punctual client = Punctual.open(url + "?createTables=true")) {
      client.queue("q", Codec.bytes()).schedule("{}".getBytes(UTF_8), Duration.ZERO);
    }
    try (Connection connection = DriverManager.getConnection(url, "", "");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE USER viewer PASSWORD 's'");
      statement.execute("GRANT SELECT ON SCHEMA PUBLIC TO viewer");
    }
    String readOnly = url + ";ACCESS_MODE_DATA=r";
    String viewer = url + "?user=viewer&password=s";

    assertCause(
        cli.run("doctor", "q", "-o", "json", "--store", readOnly).json(), "READ_ONLY", "read only");
    assertCause(
        cli.run("doctor", "q", "-o", "json", "--store", viewer).json(),
        "STORE_REFUSES",
        "Not enough rights");
  }

  @Test
  void storeThatAnswersReadsOnly_isNamed() {
    try (RedisProcess readOnly = RedisProcess.start()) {
      String url = readOnly.url() + "?operationTimeout=3s";
      try (Punctual client = Punctual.open(url)) {
        client.queue("q", Codec.bytes()).schedule("{}".getBytes(UTF_8), Duration.ZERO);
      }
      assertThat(readOnly.ask("CONFIG", "SET", "min-replicas-to-write", "1")).hasToString("OK");

      JsonNode diagnosis = cli.run("doctor", "q", "-o", "json", "--store", url).json();

      assertCause(diagnosis, "READ_ONLY", "refuses changes", "NOREPLICAS");
    }
  }

  @Test
  void clockThatIsAnHourBack_isNamed() {
    ManualClock hourBack =
        new ManualClock(Instant.now().truncatedTo(ChronoUnit.MILLIS).minus(Duration.ofHours(1)));
    MemoryStore store = MemoryStore.builder().clock(hourBack).build();
    cli.shared(store);
    try (Punctual client = cli.stores.open("")) {
      TimedQueue<byte[]> queue = client.queue("q", Codec.bytes());
      queue.schedule(
          Message.of("{}".getBytes(UTF_8))
              .id("a")
              .dueAt(Instant.now().minus(Duration.ofMinutes(59))));

      JsonNode diagnosis = cli.run("doctor", "q", "-o", "json").json();

      assertCause(diagnosis, "CLOCK", "at least 59 min", "message 'a'");
    }
  }

  @Test
  void queueOnTime_hasNoCause() {
    TimedQueue<byte[]> queue = queue("fine");
    queue.schedule("{}".getBytes(UTF_8), Duration.ofHours(1));
    worker(queue, 1, delivery -> {});

    Cli.Result result = cli.run("doctor", "fine", "--store", redis.url());

    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.out()).contains("Queue 'fine' is on time");
    assertThat(cli.run("doctor", "fin", "--store", redis.url()).exitCode()).isEqualTo(3);
  }
}
