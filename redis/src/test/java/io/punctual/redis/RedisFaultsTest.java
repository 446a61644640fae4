package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.testkit.fault.Direction;
import io.punctual.testkit.fault.FaultProxy;
import io.punctual.testkit.history.HistoryReport;
import io.punctual.testkit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens to messages when processes, connections and the server fail: nothing is lost,
 * nothing early, nothing comes after a confirmed cancel or ack. The system properties {@code
 * punctual.faults.seconds} and {@code punctual.faults.messages} make each fault last longer than
 * these few seconds, and happen to more messages.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class RedisFaultsTest {
  private static final Duration FAULT =
      Duration.ofSeconds(Integer.getInteger("punctual.faults.seconds", 3));

  private static final int MESSAGES = Integer.getInteger("punctual.faults.messages", 1000);

  private static final Set<String> FOREIGN =
      Set.of("without content", "undecodable", "leased by nobody");
  private static final String KEYS = "{punctual:" + FaultRun.QUEUE + ":0}:";

  /** Twice as long as the workers' leases. */
  private static final Duration FROZEN = Duration.ofSeconds(4);

  @TempDir private Path directory;

  /** Repeats a fault for a while, with a pause each time. */
  private static void repeat(Duration pause, Runnable fault) throws InterruptedException {
    long end = System.nanoTime() + FAULT.toNanos();
    BooleanSupplier isOver = () -> System.nanoTime() - end > 0;
    while (!isOver.getAsBoolean()) {
      fault.run();
      Thread.sleep(pause.toMillis());
    }
  }

  private static void expectDelivered(HistoryReport report) {
    assertThat(report.delivered()).as("%s", report).isPositive();
  }

  @Test
  void worker_killedAgainAndAgain_losesNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      for (int i = 0; i < 4; i++) {
        Process victim = run.work();
        Process producer = run.produce(MESSAGES / 4);
        run.awaitDeliveries(victim);
        victim.destroyForcibly();
        FaultRun.await(producer);
      }
      run.work();
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void worker_frozenPastItsLeases_itsSettlementsAreRefused() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      Process frozen = run.work(100);
      Process producer = run.produce(MESSAGES);
      Awaitility.await().until(() -> leased(redis) > 0);
      FaultRun.signal(frozen, "STOP");
      run.work();
      Thread.sleep(FROZEN.toMillis());
      FaultRun.signal(frozen, "CONT");
      FaultRun.await(producer);
      HistoryReport report = run.judge(redis.url());
      assertThat(report.redelivered()).as("%s", report).isPositive();
      assertThat(report.leasesLost()).as("%s", report).isPositive();
    }
  }

  private static long leased(RedisProcess redis) {
    return (Long) java.util.Objects.requireNonNull(redis.ask("ZCARD", KEYS + "leased"));
  }

  @Test
  void memory_full_losesNothingConfirmed() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      run.work();
      Process producer = run.produce(MESSAGES);
      long before = rejected(redis);
      repeat(
          Duration.ofMillis(100),
          () -> {
            redis.ask("CONFIG", "SET", "maxmemory", "1mb");
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            redis.ask("CONFIG", "SET", "maxmemory", "0");
          });
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
      assertThat(rejected(redis)).as("commands refused").isGreaterThan(before);
    }
  }

  /** How often the server said that its memory is full; each script asks it first. */
  private static long rejected(RedisProcess redis) {
    String stats = String.valueOf(redis.ask("INFO", "errorstats"));
    Matcher oom = Pattern.compile("errorstat_OOM:count=(\\d+)").matcher(stats);
    return oom.find() ? Long.parseLong(oom.group(1)) : 0;
  }

  @Test
  void foreignMembers_inEveryKey_stopNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      run.work();
      Process producer = run.produce(MESSAGES);
      repeat(
          Duration.ofMillis(20),
          () -> {
            redis.ask("ZADD", KEYS + "scheduled", "1", "without content", "2", "undecodable");
            redis.ask("HSET", KEYS + "messages", "undecodable", "what is this?");
            redis.ask("ZADD", KEYS + "leased", "3", "leased by nobody");
            redis.ask("HSET", KEYS + "leases", "leased by nobody", "what is this?");
          });
      FaultRun.await(producer);
      Awaitility.await().until(() -> Long.valueOf(3).equals(redis.ask("ZCARD", KEYS + "dead")));
      expectDelivered(run.judge(redis.url(), FOREIGN));
    }
  }

  @Test
  void producer_killedBetweenSendAndReply_losesNothingConfirmed() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        FaultRun run = new FaultRun(directory, redis.url());
        FaultRun behind = new FaultRun(directory, "redis://127.0.0.1:" + proxy.port())) {
      run.work();
      Process producer = behind.produce(20 * MESSAGES);
      Awaitility.await().until(() -> proxy.passedBytes(Direction.TO_CLIENT) >= 20_000);
      proxy.swallow(Direction.TO_CLIENT);
      Awaitility.await()
          .pollInterval(Duration.ofMillis(1))
          .until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) > 0);
      producer.destroyForcibly();
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void server_killedAndRestarted_losesNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      run.work();
      Process producer = run.produce(MESSAGES);
      for (int i = 0; i < 3; i++) {
        Thread.sleep(FAULT.toMillis() / 3);
        redis.kill();
        redis.restart();
      }
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void server_frozenBeyondTheTimeout_losesNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run =
            new FaultRun(directory, redis.url() + "?timeout=1s&durabilityTimeout=500ms")) {
      run.work();
      Process producer = run.produce(MESSAGES);
      redis.freeze();
      Thread.sleep(FAULT.toMillis());
      redis.thaw();
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void connections_cutAllTheTime_loseNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        FaultRun run = new FaultRun(directory, "redis://127.0.0.1:" + proxy.port())) {
      run.work();
      Process producer = run.produce(MESSAGES);
      repeat(Duration.ofMillis(100), proxy::cut);
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void replies_lost_loseNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", redis.port());
        FaultRun run =
            new FaultRun(
                directory,
                "redis://127.0.0.1:" + proxy.port() + "?timeout=1s&durabilityTimeout=500ms")) {
      run.work();
      Process producer = run.produce(MESSAGES);
      proxy.swallow(Direction.TO_CLIENT);
      Thread.sleep(FAULT.toMillis());
      proxy.heal();
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
    }
  }

  @Test
  void scripts_flushedInALoop_loseNothing() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start();
        FaultRun run = new FaultRun(directory, redis.url())) {
      run.work();
      Process producer = run.produce(MESSAGES);
      repeat(Duration.ofMillis(20), () -> redis.ask("SCRIPT", "FLUSH"));
      FaultRun.await(producer);
      expectDelivered(run.judge(redis.url()));
    }
  }
}
