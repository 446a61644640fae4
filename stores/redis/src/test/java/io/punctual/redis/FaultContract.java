package io.punctual.redis;

import static io.punctual.redis.FaultPlan.LENGTH;
import static io.punctual.redis.FaultPlan.MESSAGES;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a store while processes, connections and servers fail. No message is lost or early, and
 * none is delivered after a confirmed cancel or ack. A message is buried only if a handler has
 * received it, or if a foreign program wrote it. {@link FaultPlan} determines how long faults last.
 */
@Timeout(value = 2, unit = TimeUnit.HOURS)
abstract class FaultContract {
  private static final Set<String> FOREIGN =
      Set.of("without content", "undecodable", "leased by nobody");

  /** The duration of a slow handler. It is so long that a frozen worker holds several messages. */
  private static final int SLOW_HANDLER_MILLIS = 100;

  private static final Duration FREEZE = Duration.ofSeconds(10);
  private static final Duration SILENCE = Duration.ofSeconds(5);
  private static final int KILLS = 4;

  @TempDir private Path directory;
  private FaultPlan plan;
  private FaultyServers redis;
  private FaultRun run;

  abstract FaultyServers start();

  @BeforeEach
  final void begin(TestInfo test) {
    plan = new FaultPlan(getClass().getSimpleName() + "." + test.getDisplayName());
    redis = start();
    run = new FaultRun(directory, redis.url(), plan.seed());
  }

  @AfterEach
  final void end() {
    if (run != null) {
      run.close();
      redis.close();
    }
  }

  /**
   * Returns whether the worker and the producer of {@link #trafficDuringTheFault} run in separate
   * processes; otherwise they run in threads of the test.
   */
  boolean allInProcesses() {
    return false;
  }

  /**
   * Starts a worker and a producer before the fault, and waits until both have reached the store.
   */
  private void trafficDuringTheFault() {
    if (allInProcesses()) {
      run.workInProcess(1);
      run.produceInProcess(MESSAGES, LENGTH);
    } else {
      run.work(1);
      run.produce(MESSAGES, LENGTH);
    }
    run.awaitReady();
  }

  @Test
  void worker_killedAgainAndAgain_losesNothing() {
    long begin = System.nanoTime();
    ProcessClient survivor = run.workInProcess(1);
    for (int i = 0; i < KILLS || System.nanoTime() - begin < LENGTH.toNanos(); i++) {
      ProcessClient one = survivor;
      ProcessClient other = run.workInProcess(1);
      run.produce(MESSAGES / KILLS, Duration.ZERO);
      await(() -> one.hasDeliveries() || other.hasDeliveries());
      boolean isOneAtWork = one.hasDeliveries();
      run.kill(isOneAtWork ? one : other);
      survivor = isOneAtWork ? other : one;
    }
    run.expectClean();
  }

  @Test
  void worker_frozenPastItsLeases_itsSettlementsAreRefused() {
    ProcessClient frozen = run.workInProcess(SLOW_HANDLER_MILLIS);
    run.produce(MESSAGES, Duration.ZERO);
    run.awaitProducers();
    long unsettled = unsettled();
    // Once the worker has settled a message, it holds further messages, whose handlers are running.
    await(() -> unsettled() < unsettled);
    frozen.freeze();
    run.work(1);
    await(() -> unsettled() == 0);
    frozen.thaw();
    HistoryReport report = run.expectClean();
    assertThat(report.redelivered()).as("%s", report).isPositive();
    assertThat(report.leasesLost()).as("%s", report).isPositive();
  }

  private long unsettled() {
    return redis.inAllPartitions("scheduled") + redis.inAllPartitions("leased");
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(FaultPlan.PATIENCE).until(condition);
  }

  @Test
  void producer_killedBetweenSendAndReply_losesNothingConfirmed() {
    run.work(1);
    ProcessClient producer = run.produceInProcess(20 * MESSAGES, Duration.ZERO);
    run.awaitReady();
    long before = redis.passedReplies();
    await(() -> redis.passedReplies() - before >= 20_000);
    redis.loseReplies();
    Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> redis.lostReplies() > 0);
    run.kill(producer);
    redis.heal();
    run.expectClean();
  }

  @Test
  void server_killedAndRestarted_losesNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofMillis(700),
        () -> {
          RedisProcess victim = plan.anyOf(redis.servers());
          victim.kill();
          victim.restart();
        });
    run.expectClean();
  }

  @Test
  void server_frozenBeyondTheTimeout_losesNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          RedisProcess victim = plan.anyOf(redis.servers());
          victim.freeze();
          FaultPlan.during(FaultPlan.atMost(FREEZE));
          victim.thaw();
        });
    run.expectClean();
  }

  @Test
  void connections_cutAllTheTime_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(Duration.ofMillis(100), redis::cut);
    run.expectClean();
  }

  @Test
  void replies_lost_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          redis.loseReplies();
          FaultPlan.during(FaultPlan.atMost(SILENCE));
          redis.heal();
        });
    run.expectClean();
  }

  @Test
  void clientsAndServers_partitioned_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          redis.partition();
          FaultPlan.during(FaultPlan.atMost(SILENCE));
          redis.heal();
        });
    run.expectClean();
  }

  @Test
  void scripts_flushedInALoop_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(Duration.ofMillis(20), () -> redis.tellAll("SCRIPT", "FLUSH"));
    run.expectClean();
  }

  @Test
  void memory_full_losesNothingConfirmed() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofMillis(100),
        () -> {
          redis.tellAll("CONFIG", "SET", "maxmemory", "1");
          plan.pause(Duration.ofMillis(100));
          redis.tellAll("CONFIG", "SET", "maxmemory", "0");
        });
    HistoryReport report = run.expectClean();
    assertThat(report.scheduled() - report.unknown())
        .as("schedules, some of them refused: %s", report)
        .isGreaterThan(report.confirmed());
  }

  @Test
  void foreignMembers_inEveryKey_stopNothing() {
    trafficDuringTheFault();
    await(() -> redis.inAllPartitions("leased") > 0);
    RedisProcess server = redis.serverOf().apply(0);
    String keys = FaultyServers.keys(0);
    plan.repeat(
        Duration.ofMillis(20),
        () ->
            List.of(
                    List.of("ZADD", "scheduled", "1", "without content", "2", "undecodable"),
                    List.of("HSET", "messages", "undecodable", "what is this?"),
                    List.of("HSET", "leases", "leased by nobody", "what is this?"),
                    List.of("ZADD", "leased", "3", "leased by nobody"))
                .forEach(command -> write(server, keys, command)));
    await(() -> redis.inAllPartitions("dead") == FOREIGN.size());
    run.expectClean(FOREIGN);
  }

  private static void write(RedisProcess server, String keys, List<String> command) {
    String[] words = command.toArray(String[]::new);
    words[1] = keys + words[1];
    server.ask(words);
  }
}
