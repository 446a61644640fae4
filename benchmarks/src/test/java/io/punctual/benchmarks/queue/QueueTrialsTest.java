package io.punctual.benchmarks.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs small trials, with processes in Java and in Node. */
@Tag("extended")
final class QueueTrialsTest {
  private static final int COUNT = 200;

  private static RedisProcess redis;
  private static QueueTrials trials;

  @BeforeAll
  static void startRedis() {
    redis = RedisProcess.start();
    trials = new QueueTrials(redis, 0, Duration.ofSeconds(20));
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"PUNCTUAL_REDIS", "BULLMQ"})
  void drain_processesInEachLanguage_allMessagesAreCounted(QueueKind kind) throws Exception {
    assumeTrue(QueueSubject.isInstalled(kind), kind::title);

    TrialOutcome outcome = trials.drain(kind, COUNT);

    assertThat(outcome.tally()).isEqualTo(new MessageCounts(COUNT, 0, 0, 0));
  }

  @ParameterizedTest
  @EnumSource(names = {"PUNCTUAL_REDIS", "BULLMQ"})
  void steady_processesInEachLanguage_allMessagesAreCounted(QueueKind kind) throws Exception {
    assumeTrue(QueueSubject.isInstalled(kind), kind::title);

    TrialOutcome outcome = trials.steady(kind, COUNT, COUNT, 1);

    assertThat(outcome.tally()).isEqualTo(new MessageCounts(COUNT, 0, 0, 0));
    assertThat(outcome.lateness()).isNotNull();
  }

  @ParameterizedTest
  @EnumSource(names = {"PUNCTUAL_REDIS", "BULLMQ"})
  void rates_processesInEachLanguage_sameMetrics(QueueKind kind) throws Exception {
    assumeTrue(QueueSubject.isInstalled(kind), kind::title);

    TrialOutcome outcome = trials.rates(kind, COUNT, 50);

    assertThat(outcome.failure()).isNull();
    assertThat(outcome.samples())
        .extracting(Sample::metric)
        .containsExactly(
            "schedule, 1 thread",
            "schedule, 8 threads",
            "schedule, 64 threads",
            "schedule, batches of 1,000",
            "schedule, async",
            "cancel, 1 thread");
  }
}
