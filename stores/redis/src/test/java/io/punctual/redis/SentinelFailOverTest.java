package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.RememberedIds;
import io.punctual.kit.kill.Traffic;
import io.punctual.kit.kill.Verdict;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.kit.redis.RedisSentinels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests messages while Sentinels replace a primary. */
@Tag("faults")
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class SentinelFailOverTest {
  /** How long producers schedule: before, during and after a failure. */
  private static final Duration TRAFFIC = KillPlan.LENGTH.plusSeconds(3);

  private static final Duration DETECTION = Duration.ofMillis(RedisSentinels.DOWN_AFTER_MILLIS);
  private static final String CONFIRMED =
      "?durability=replicas:1&timeout=1s&durabilityTimeout=500ms";

  /**
   * A time-out that is so long that the Sentinels of a busy machine do not replace a primary that
   * still runs.
   */
  private static final int REPEATED_DOWN_AFTER_MILLIS = 3_000;

  /**
   * A new primary has no replica for some time. This durabilityTimeout is longer than this time, so
   * that all changes are confirmed.
   */
  private static final String PATIENT = "?durability=replicas:1&timeout=1s&durabilityTimeout=20s";

  private static final String UNCONFIRMED = "?timeout=1s&durabilityTimeout=500ms";

  @TempDir private Path directory;
  private KillPlan plan;

  @BeforeEach
  void plan(TestInfo test) {
    plan = KillPlan.ofFaults("SentinelFailOverTest." + test.getDisplayName());
  }

  private KillRun begin(String url) {
    KillRun run = new KillRun(directory, url, plan.seed());
    run.expectFailOver();
    Traffic.during(TRAFFIC).start(run);
    plan.pause(Duration.ofSeconds(1));
    return run;
  }

  private static RedisProcess other(RedisSentinels redis, RedisProcess primary) {
    return redis.servers().stream().filter(s -> s != primary).findFirst().orElseThrow();
  }

  @Test
  void primaryKilled_allReplicasConfirm_nothingIsLost() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      RedisProcess former = redis.primary();
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      former.restart();
      redis.awaitReplicas(1);
      run.judge().expectShortSilence(DETECTION).expectNothingLost();
    }
  }

  @Test
  void primaryKilled_noDurability_losesOnlyWhatTheReplicaHadNotGot() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        FaultProxy replication = FaultProxy.to("127.0.0.1", redis.primary().port());
        KillRun run = begin(redis.url() + UNCONFIRMED)) {
      RedisProcess former = redis.primary();
      RedisProcess replica = other(redis, former);
      replica.ask("REPLICAOF", "127.0.0.1", "" + replication.port());
      redis.awaitReplicas(1);
      Awaitility.await().until(() -> replication.open() > 0);
      replication.blackHole();
      long behindSince = System.nanoTime();
      KillPlan.during(Duration.ofMillis(300));
      former.kill();
      redis.awaitPrimaryOtherThan(former);
      Verdict verdict = run.judge();
      assertThat(verdict.printLost())
          .as("%s", verdict.report())
          .isNotEmpty()
          .allMatch(at -> at - behindSince > 0);
    }
  }

  /** Sentinels may replace a primary that is only slow, before clients and the primary notice. */
  @Test
  void primaryReplacedUnnoticed_allReplicasConfirm_nothingIsLost() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      RedisProcess former = redis.primary();
      redis.sentinels().forEach(RedisProcess::freeze);
      other(redis, former).ask("REPLICAOF", "NO", "ONE");
      KillPlan.during(Duration.ofMillis(700));
      former.kill();
      redis.sentinels().forEach(RedisProcess::thaw);
      redis.awaitPrimaryOtherThan(former);
      run.judge().expectNothingLost();
    }
  }

  @Test
  void primaryFrozen_allReplicasConfirm_nothingIsLost() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      RedisProcess former = redis.primary();
      former.freeze();
      redis.awaitPrimaryOtherThan(former);
      former.thaw();
      redis.awaitReplicas(1);
      run.judge().expectShortSilence(DETECTION).expectNothingLost();
    }
  }

  @Test
  void primaryCutOff_allReplicasConfirm_nothingIsLost() {
    AtomicReference<FaultProxy> inFront = new AtomicReference<>();
    try (RedisSentinels redis =
            RedisSentinels.start(
                1,
                RedisProcess.builder(),
                primary -> {
                  inFront.set(FaultProxy.to("127.0.0.1", primary.port()));
                  return inFront.get().port();
                });
        FaultProxy proxy = inFront.get();
        KillRun run = begin(redis.url() + CONFIRMED)) {
      RedisProcess former = redis.primary();
      proxy.blackHole();
      redis.awaitPrimaryOtherThan(former);
      proxy.heal();
      redis.awaitReplicas(1);
      run.judge().expectShortSilence(DETECTION).expectNothingLost();
    }
  }

  @Test
  void rollingRestart_allReplicasConfirm_nothingIsLost() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = begin(redis.url() + CONFIRMED)) {
      restartAll(redis);
      run.judge().expectNothingLost();
    }
  }

  @Test
  void rollingRestart_noDurability_losesOnlyWhileThePrimaryChanges() {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = begin(redis.url() + UNCONFIRMED)) {
      long begin = restartAll(redis);
      long end = System.nanoTime();
      Verdict verdict = run.judge();
      assertThat(verdict.printLost())
          .as("%s", verdict.report())
          .map(at -> Duration.ofNanos(at - begin))
          .allSatisfy(
              sinceBegin ->
                  assertThat(sinceBegin)
                      .isBetween(
                          FaultyServers.REPLICA_LAG.negated(), Duration.ofNanos(end - begin)));
    }
  }

  /**
   * Restarts both servers, one after the other; returns when the fail-over began, in {@link
   * System#nanoTime}.
   */
  private static long restartAll(RedisSentinels redis) {
    RedisProcess first = redis.primary();
    RedisProcess second = other(redis, first);
    second.stop();
    second.restart();
    redis.awaitReplicas(1);
    long begin = System.nanoTime();
    redis.failOver();
    redis.awaitReplicas(1);
    first.stop();
    first.restart();
    redis.awaitReplicas(1);
    return begin;
  }

  @Test
  void fullReplica_allReplicasConfirm_refusesWhatIsNewAndLosesNothing() {
    try (RedisSentinels redis = RedisSentinels.start(1)) {
      fill(other(redis, redis.primary()));
      try (KillRun run = begin(redis.url() + CONFIRMED)) {
        replacePrimary(redis);
        expectRefusals(run.judge().expectNothingLost());
      }
    }
  }

  @Test
  void fullReplica_noDurability_refusesWhatIsNew() {
    try (RedisSentinels redis = RedisSentinels.start(1)) {
      fill(other(redis, redis.primary()));
      try (KillRun run = begin(redis.url() + UNCONFIRMED)) {
        long killed = replacePrimary(redis);
        expectRefusals(run.judge().expectLostWithin(FaultyServers.REPLICA_LAG, killed));
      }
    }
  }

  /**
   * Producers schedule all ids repeatedly, while processes are killed and each primary is replaced.
   * An id is handled again only after a lost lease.
   */
  @Test
  void primaryKilled_rememberedIds_areHandledAgainOnlyAfterALostLease() throws Exception {
    try (RedisSentinels redis = RedisSentinels.start(1);
        KillRun run = new KillRun(directory, redis.url() + PATIENT, plan.seed())) {
      RememberedIds remembered = RememberedIds.start(run);
      // A restarted server has old data until it has copied the data of the primary, and must not
      // become the primary before that.
      redis.setDownAfter(REPEATED_DOWN_AFTER_MILLIS);
      long end = System.nanoTime() + KillPlan.LENGTH.toNanos();
      do {
        plan.pause(Duration.ofSeconds(1));
        RememberedIds.replaceOneOfEach(run);
        RedisProcess former = redis.primary();
        run.crash(
            () -> {
              former.kill();
              redis.awaitPrimaryOtherThan(former);
            });
        former.restart();
        redis.awaitReplicas(1);
      } while (System.nanoTime() - end < 0);
      remembered.judge(run).expectClean();
    }
  }

  private static void fill(RedisProcess replica) {
    replica.ask("CONFIG", "SET", "maxmemory", "1");
  }

  private static long replacePrimary(RedisSentinels redis) {
    RedisProcess primary = redis.primary();
    long killed = System.nanoTime();
    primary.kill();
    redis.awaitPrimaryOtherThan(primary);
    return killed;
  }

  private static void expectRefusals(HistoryReport report) {
    assertThat(report.confirmed()).as("%s", report).isLessThan(report.scheduled());
  }
}
