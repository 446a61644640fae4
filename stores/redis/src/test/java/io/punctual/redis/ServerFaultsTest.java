package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.PunctualException;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.history.HistoryReport;
import io.punctual.kit.kill.KillPlan;
import io.punctual.kit.kill.KillRun;
import io.punctual.kit.kill.Traffic;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests messages while a server is killed, while its clock jumps, and while its clients or its
 * replica are cut off.
 */
@Tag("faults")
@Timeout(value = 2, unit = TimeUnit.HOURS)
final class ServerFaultsTest {
  /** The server program that runs with faketime. It must be linked dynamically, as Debian's is. */
  private static final Path PROGRAM =
      Path.of(System.getProperty("punctual.redis.program", "/usr/bin/redis-server"));

  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

  /**
   * The C library, which is preloaded so that its malloc replaces jemalloc. While jemalloc starts,
   * it reads the clock, and faketime is not yet ready to answer.
   */
  private static final String LIBC = " /lib/x86_64-linux-gnu/libc.so.6";

  /** The reasons for which opening with durability=aof may be refused. */
  private static final Pattern RIGHTLY_REFUSED =
      Pattern.compile("too old for WAITAOF|confirms changes that are not on its disk");

  private static final Duration TRAFFIC = KillPlan.LENGTH.plusSeconds(2);

  /**
   * The maximum age of a change that the server has not yet written to its file: the write may wait
   * for the fsync of the previous second.
   */
  private static final Duration EVERY_SECOND = Duration.ofSeconds(2);

  private static final String QUICK = "timeout=1s&durabilityTimeout=500ms&durability=";

  /**
   * Options without the durability, for clients that the fault does not affect. The time-out is
   * long, so that a slow machine causes no failure.
   */
  private static final String PATIENT = "timeout=20s&durability=";

  @TempDir private Path directory;
  private KillPlan plan;

  @BeforeEach
  void plan(TestInfo test) {
    String method = test.getTestMethod().orElseThrow().getName();
    plan = KillPlan.ofFaults("ServerFaultsTest." + method + " " + test.getDisplayName());
  }

  private KillRun begin(String url, String durability) {
    return beginWith(url, QUICK + durability);
  }

  private KillRun beginWith(String url, String options) {
    KillRun run = new KillRun(directory, url + "?" + options, plan.seed());
    Traffic.during(TRAFFIC).start(run);
    plan.pause(Duration.ofMillis(700));
    return run;
  }

  private static FaultProxy inFrontOf(RedisProcess redis) {
    return FaultProxy.to("127.0.0.1", redis.port());
  }

  @Test
  void clientsCutOff_allReplicasConfirm_nothingIsLost() {
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess replica = RedisProcess.builder().replicaOf(redis).start();
        FaultProxy proxy = inFrontOf(redis);
        KillRun run = begin("redis://127.0.0.1:" + proxy.port(), "replicas:1")) {
      proxy.blackHole();
      KillPlan.during(KillPlan.LENGTH);
      proxy.heal();
      run.judge().expectClean();
      assertThat(replica.isRunning()).isTrue();
    }
  }

  @Test
  void replicaCutOff_allReplicasConfirm_changesAreStoredNotConfirmed() {
    HistoryReport report = cutOffReplica(QUICK + "replicas:1");
    assertThat(report.confirmed()).as("%s", report).isLessThan(report.scheduled());
  }

  @Test
  void replicaCutOff_noDurability_nobodyNotices() {
    HistoryReport report = cutOffReplica(PATIENT + "none");
    assertThat(report.confirmed()).as("%s", report).isEqualTo(report.scheduled());
  }

  private HistoryReport cutOffReplica(String options) {
    try (RedisProcess redis = RedisProcess.start();
        FaultProxy proxy = inFrontOf(redis);
        RedisProcess replica =
            RedisProcess.builder().config("replicaof", "127.0.0.1 " + proxy.port()).start();
        KillRun run = beginWith(redis.url(), options)) {
      proxy.blackHole();
      KillPlan.during(KillPlan.LENGTH);
      proxy.heal();
      HistoryReport report = run.judge().expectNothingLost();
      assertThat(replica.isRunning()).isTrue();
      return report;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"aof", "aof+replicas:1"})
  void serverKilled_itsDiskConfirms_nothingIsLost(String durability) {
    try (RedisProcess redis = writingToDisk().start();
        RedisProcess replica = writingToDisk().replicaOf(redis).start()) {
      assumeItsDiskCanConfirm(redis);
      try (KillRun run = beginWith(redis.url(), "durability=" + durability)) {
        plan.repeat(Duration.ofMillis(700), () -> killAndRestart(redis));
        run.judge().expectConfirmedKept();
        assertThat(replica.isRunning()).isTrue();
      }
    }
  }

  /**
   * Skips the test if the server lacks WAITAOF or confirms changes too early, and for no other
   * reason.
   */
  private static void assumeItsDiskCanConfirm(RedisProcess redis) {
    try {
      RedisStore.builder().url(redis.url() + "?durability=aof").open().close();
    } catch (PunctualException refused) {
      assumeFalse(
          RIGHTLY_REFUSED.matcher(String.valueOf(refused.getMessage())).find(),
          refused.getMessage());
      throw refused;
    }
  }

  @Test
  void serverKilled_noDurability_losesOnlyWhatWasNotWritten() {
    try (RedisProcess redis = writingToDisk().start();
        KillRun run = begin(redis.url(), "none")) {
      long killed = System.nanoTime();
      killAndRestart(redis);
      run.judge().expectLostWithin(EVERY_SECOND, killed);
    }
  }

  private static RedisProcess.Builder writingToDisk() {
    return RedisProcess.builder().appendOnly("everysec");
  }

  private static void killAndRestart(RedisProcess redis) {
    redis.kill();
    redis.restart();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "replicas:1"})
  void clock_anHourAhead_leasesEndEarlyAndNothingIsLost(String durability) {
    stepClock(durability, "+3600", "+3600");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "replicas:1"})
  void clock_anHourBackForAWhile_waitsAndLosesNothing(String durability) {
    stepClock(durability, "-3600", "+0");
  }

  private void stepClock(String durability, String there, String back) {
    assumeTrue(
        Files.isExecutable(PROGRAM) && Files.exists(FAKETIME),
        "Needs faketime and a redis-server that is linked dynamically; on Debian: apt-get install"
            + " faketime redis-server");
    Path clock = directory.resolve("clock");
    set(clock, "+0");
    try (RedisProcess redis =
            RedisProcess.builder()
                .program(PROGRAM)
                .environment("LD_PRELOAD", FAKETIME + LIBC)
                .environment("FAKETIME_TIMESTAMP_FILE", clock.toString())
                .environment("FAKETIME_NO_CACHE", "1")
                .environment("FAKETIME_DONT_FAKE_MONOTONIC", "1")
                .start();
        RedisProcess replica = RedisProcess.builder().program(PROGRAM).replicaOf(redis).start()) {
      assumeClockFollows(clock, redis);
      try (KillRun run = begin(redis.url(), durability)) {
        set(clock, there);
        KillPlan.during(KillPlan.LENGTH);
        set(clock, back);
        run.judge().expectNothingLost();
      }
      assertThat(replica.isRunning()).isTrue();
    }
  }

  /** Skips the test if the server ignores the fake clock, as a statically linked program does. */
  private static void assumeClockFollows(Path clock, RedisProcess redis) {
    long before = seconds(redis);
    set(clock, "+3600");
    boolean follows = seconds(redis) - before > 1800;
    set(clock, "+0");
    assumeTrue(follows, PROGRAM + " does not take its time from faketime");
  }

  private static long seconds(RedisProcess redis) {
    return Long.parseLong(String.valueOf(((List<?>) redis.ask("TIME")).get(0)));
  }

  private static void set(Path clock, String offset) {
    try {
      Files.writeString(clock, offset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
