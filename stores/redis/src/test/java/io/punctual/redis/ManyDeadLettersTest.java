package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.task.Task;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tests a server with many dead letters, which have 50 different histories of failures. {@code
 * -Dpunctual.dead=1000000} sets the number of dead letters. The log has the times, the processor
 * times of client and server, and the commands of the server's slow log.
 */
@Tag("extended")
@Timeout(900)
final class ManyDeadLettersTest {
  private static final Logger log = LoggerFactory.getLogger(ManyDeadLettersTest.class);
  private static final int COUNT = Integer.getInteger("punctual.dead", 20_000);
  private static final int FAILURES = 50;
  private static final int STEP = 500;

  private RedisProcess redis;
  private List<byte[]> histories;
  private Punctual punctual;
  private TimedQueue<String> queue;
  private double cpuBefore;

  @BeforeEach
  void bury() {
    redis = RedisProcess.start();
    histories = histories();
    try (RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      PartitionUser user = new PartitionUser(store, "orders");
      for (int from = 0; from < COUNT; from += STEP) {
        List<Operation> dead = new ArrayList<>();
        for (int i = from; i < Math.min(COUNT, from + STEP); i++) {
          byte[] payload = ("payload of order " + i + " ".repeat(80)).getBytes(UTF_8);
          dead.add(
              new Operation.Restore(
                  "order-" + i,
                  1000,
                  5,
                  histories.get(i % FAILURES),
                  2000 + i,
                  Content.of(payload)));
        }
        user.call(new Call.Apply(dead, null));
      }
    }
    punctual = Punctual.open(redis.url());
    queue = punctual.queue("orders", Codec.string());
    redis.ask("CONFIG", "SET", "slowlog-log-slower-than", "5000");
  }

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
    redis.close();
  }

  /**
   * Returns the histories of messages that failed five times, each message at a different line of
   * code.
   */
  private static List<byte[]> histories() {
    MemoryStore store = MemoryStore.builder().build();
    try (Punctual punctual = Punctual.builder().store(store).build()) {
      TimedQueue<String> queue = punctual.queue("failing", Codec.string());
      for (int i = 0; i < FAILURES; i++) {
        queue.schedule(Message.of("" + i).id("%02d".formatted(i)));
      }
      WorkerOptions options =
          WorkerOptions.builder()
              .retryPolicy(RetryPolicy.fixed(Duration.ZERO).maxAttempts(5))
              .build();
      try (Worker worker =
          queue.work(options, delivery -> fail(Integer.parseInt(delivery.payload())))) {
        Awaitility.await().until(() -> queue.counts().dead() == FAILURES);
      }
      Partition partition = store.partitions("failing").toCompletableFuture().join().get(0);
      return partition
          .browse(State.DEAD, null, FAILURES, false)
          .toCompletableFuture()
          .join()
          .entries()
          .stream()
          .map(Entry::history)
          .toList();
    }
  }

  private static void fail(int place) {
    IllegalStateException failure =
        new IllegalStateException("The card of order 4711 was refused by the bank, code " + place);
    failure.setStackTrace(
        new StackTraceElement[] {
          new StackTraceElement("com.example.shop.Cards", "charge", "Cards.java", 100 + place)
        });
    throw failure;
  }

  @Test
  void groups_fiftyFailures_countAllWithoutAStallOfTheServer() {
    // During the first groupings, the JVM compiles the code. The measured grouping below then takes
    // as long as in a client that has run for a while.
    for (int i = 0; i < 3; i++) {
      long began = System.nanoTime();
      DeadLetterGroups unused = queue.deadLetters().groups(DeadLetterFilter.ALL);
      log.info("Grouped {} dead letters in {} ms, to compile the code", COUNT, millisSince(began));
    }
    long before = System.nanoTime();
    long clientBefore = clientCpuMillis();
    resetStatistics();
    DeadLetterGroups groups = queue.deadLetters().groups(DeadLetterFilter.ALL);
    log.info(
        "Grouped {} dead letters in {} ms; processor time of the client {} ms",
        COUNT,
        millisSince(before),
        clientCpuMillis() - clientBefore);
    assertScriptsAreShort();
    assertThat(groups.total()).isEqualTo(COUNT);
    assertThat(groups.groups())
        .hasSize(FAILURES)
        .extracting(DeadLetterGroup::failure)
        .containsAll(
            IntStream.range(0, FAILURES)
                .mapToObj(
                    i ->
                        "java.lang.IllegalStateException at"
                            + " com.example.shop.Cards.charge(Cards.java:"
                            + (100 + i)
                            + ")")
                .toList());
  }

  @Test
  void browse_largestPageWithoutContents_hasTheFailuresOfEachMessage() {
    try (RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      Partition partition = store.partitions("orders").toCompletableFuture().join().get(0);
      List<Entry> entries =
          partition
              .browse(State.DEAD, null, Partition.MAX_PAGE, false)
              .toCompletableFuture()
              .join()
              .entries();
      assertThat(entries).hasSize(Math.min(COUNT, Partition.MAX_PAGE));
      for (int i = 0; i < entries.size(); i++) {
        Entry entry = entries.get(i);
        assertThat(entry.id()).isEqualTo("order-" + i);
        assertThat(entry.attempts()).isEqualTo(5);
        assertThat(entry.dueMillis()).isEqualTo(1000);
        assertThat(entry.diedAtMillis()).isEqualTo(2000 + i);
        assertThat(entry.history()).isEqualTo(histories.get(i % FAILURES));
      }
    }
  }

  @Test
  void groups_whileLettersAreRedriven_showsNoLetterWithoutItsFailure() {
    Task<TaskProgress> task =
        queue.deadLetters().redrive(DeadLetterFilter.ALL.withLimit(20_000), 5000);
    int groupings = 0;
    while (!task.done().toCompletableFuture().isDone()) {
      groupings++;
      assertThat(queue.deadLetters().groups(DeadLetterFilter.ALL).groups())
          .extracting(DeadLetterGroup::failure)
          .allMatch(failure -> failure.startsWith("java.lang.IllegalStateException at "));
    }
    assertThat(groupings).isPositive();
    assertThat(task.progress().changed()).isEqualTo(Math.min(COUNT, 20_000));
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }

  /** Returns the processor time of this process, which runs the client and the ping loop. */
  private static long clientCpuMillis() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
  }

  private void resetStatistics() {
    redis.ask("SLOWLOG", "RESET");
    redis.ask("CONFIG", "RESETSTAT");
    cpuBefore = serverCpuSeconds();
  }

  /**
   * Asserts that a script takes few milliseconds of the server's processor time, so that no call
   * holds the others up. The time that a command took would include that of other programs.
   */
  private void assertScriptsAreShort() {
    double cpu = serverCpuSeconds() - cpuBefore;
    String commands = String.valueOf(redis.ask("INFO", "commandstats"));
    Matcher scripts = Pattern.compile("cmdstat_evalsha:calls=(\\d+)").matcher(commands);
    assertThat(scripts.find()).as(commands).isTrue();
    log.info("Slow commands: {}", redis.ask("SLOWLOG", "GET", "10"));
    log.info("{} s of processor time of the server; commands: {}", cpu, commands);
    assertThat(cpu / Long.parseLong(scripts.group(1)))
        .as("processor time of a script in seconds")
        .isLessThan(0.005);
  }

  private double serverCpuSeconds() {
    return String.valueOf(redis.ask("INFO", "cpu"))
        .lines()
        .filter(line -> line.matches("used_cpu_(sys|user):.*"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
        .sum();
  }

  @Test
  void redrive_rateOf5000_keepsToTheRateWithoutAStallOfTheServer() throws InterruptedException {
    long count = Math.min(COUNT, 100_000);
    long before = System.nanoTime();
    resetStatistics();
    DeadLetterFilter some = DeadLetterFilter.ALL.withLimit(count);
    TaskProgress end = queue.deadLetters().redrive(some, 5000).await();
    long millis = millisSince(before);
    log.info("Redrove {} in {} ms: {} a second", count, millis, count * 1000 / millis);
    assertScriptsAreShort();
    assertThat(end.changed()).isEqualTo(count);
    assertThat(queue.counts().ready()).isEqualTo(count);
    assertThat(millis).as("not faster than the rate").isGreaterThan(count * 1000 / 5000 * 9 / 10);
  }

  @Test
  void redrive_outage_redrivesEachDeadLetter() throws InterruptedException {
    long count = Math.min(COUNT, 100_000);
    long before = System.nanoTime();
    Task<TaskProgress> task =
        queue.deadLetters().redrive(DeadLetterFilter.ALL.withLimit(count), 5000);
    Awaitility.await().until(() -> task.progress().changed() >= 1000);
    redis.freeze();
    assertThatThrownBy(() -> queue.withTimeout(Duration.ofMillis(500)).counts())
        .isInstanceOf(StoreUnavailableException.class);
    redis.thaw();
    TaskProgress end = task.await();
    long millis = millisSince(before);
    log.info("Redrove {} in {} ms: {} a second", count, millis, count * 1000 / millis);
    assertThat(end.changed() + end.gone()).isEqualTo(count);
    assertThat(end.refused()).isZero();
    assertThat(queue.counts().ready()).isEqualTo(count);
    assertThat(queue.counts().dead()).isEqualTo(COUNT - count);
    assertThat(millis).as("not faster than the rate").isGreaterThan(count * 1000 / 5000 * 9 / 10);
  }
}
