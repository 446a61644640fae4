package io.punctual.redis;

import static io.punctual.kit.kill.KillPlan.LENGTH;
import static io.punctual.kit.kill.KillPlan.MESSAGES;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.kill.Handling;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.Role;
import io.punctual.kit.kill.RoleProcess;
import io.punctual.kit.kill.Traffic;
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
 * received it, or if a foreign program wrote it. {@link KillPlan} determines how long faults last.
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
  private KillPlan plan;
  private FaultyServers redis;
  private KillRun run;

  abstract FaultyServers start();

  @BeforeEach
  final void begin(TestInfo test) {
    plan = KillPlan.ofFaults(getClass().getSimpleName() + "." + test.getDisplayName());
    redis = start();
    run = new KillRun(directory, redis.url(), plan.seed());
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
    for (Role role : List.of(Handling.of(1), Traffic.of(MESSAGES, LENGTH))) {
      if (allInProcesses()) {
        run.start(role);
      } else {
        run.startThread(role);
      }
    }
    run.awaitReady();
  }

  @Test
  void worker_killedAgainAndAgain_losesNothing() {
    long begin = System.nanoTime();
    RoleProcess survivor = run.start(Handling.of(1));
    for (int i = 0; i < KILLS || System.nanoTime() - begin < LENGTH.toNanos(); i++) {
      RoleProcess one = survivor;
      RoleProcess other = run.start(Handling.of(1));
      run.startThread(Traffic.of(MESSAGES / KILLS, Duration.ZERO));
      await(() -> one.hasDeliveries() || other.hasDeliveries());
      boolean isOneAtWork = one.hasDeliveries();
      run.kill(isOneAtWork ? one : other);
      survivor = isOneAtWork ? other : one;
    }
    run.judge().expectClean();
  }

  @Test
  void worker_frozenPastItsLeases_itsSettlementsAreRefused() {
    RoleProcess frozen = run.start(Handling.of(SLOW_HANDLER_MILLIS));
    run.startThread(Traffic.of(MESSAGES, Duration.ZERO));
    run.endProducers();
    long unsettled = unsettled();
    // Once the worker has settled a message, it holds further messages, whose handlers are running.
    await(() -> unsettled() < unsettled);
    frozen.process().freeze();
    run.startThread(Handling.of(1));
    await(() -> unsettled() == 0);
    frozen.process().thaw();
    HistoryReport report = run.judge().expectClean();
    assertThat(report.redelivered()).as("%s", report).isPositive();
    assertThat(report.leasesLost()).as("%s", report).isPositive();
  }

  private long unsettled() {
    return redis.inAllPartitions("scheduled") + redis.inAllPartitions("leased");
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(KillPlan.PATIENCE).until(condition);
  }

  @Test
  void producer_killedBetweenSendAndReply_losesNothingConfirmed() {
    run.startThread(Handling.of(1));
    RoleProcess producer = run.start(Traffic.of(20 * MESSAGES, Duration.ZERO));
    run.awaitReady();
    long before = redis.passedReplies();
    await(() -> redis.passedReplies() - before >= 20_000);
    redis.loseReplies();
    Awaitility.await().pollInterval(Duration.ofMillis(1)).until(() -> redis.lostReplies() > 0);
    run.kill(producer);
    redis.heal();
    run.judge().expectClean();
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
    run.judge().expectClean();
  }

  @Test
  void server_frozenBeyondTheTimeout_losesNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          RedisProcess victim = plan.anyOf(redis.servers());
          victim.freeze();
          KillPlan.during(KillPlan.atMost(FREEZE));
          victim.thaw();
        });
    run.judge().expectClean();
  }

  @Test
  void connections_cutAllTheTime_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(Duration.ofMillis(100), redis::cut);
    run.judge().expectClean();
  }

  @Test
  void replies_lost_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          redis.loseReplies();
          KillPlan.during(KillPlan.atMost(SILENCE));
          redis.heal();
        });
    run.judge().expectClean();
  }

  @Test
  void clientsAndServers_partitioned_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(
        Duration.ofSeconds(1),
        () -> {
          redis.partition();
          KillPlan.during(KillPlan.atMost(SILENCE));
          redis.heal();
        });
    run.judge().expectClean();
  }

  @Test
  void scripts_flushedInALoop_loseNothing() {
    trafficDuringTheFault();
    plan.repeat(Duration.ofMillis(20), () -> redis.tellAll("SCRIPT", "FLUSH"));
    run.judge().expectClean();
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
    HistoryReport report = run.judge().expectClean();
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
    run.judge().expectClean(FOREIGN);
  }

  private static void write(RedisProcess server, String keys, List<String> command) {
    String[] words = command.toArray(String[]::new);
    words[1] = keys + words[1];
    server.ask(words);
  }
}
