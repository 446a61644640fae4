package io.punctual.migration.redisson;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.internal.EntryCheck;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportRun;
import io.punctual.migration.internal.ImportSource;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.ImportTarget;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.migration.internal.RunSettings;
import io.punctual.redis.client.deployment.Deployment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests a request that Redis executes after the importer has given it up, for example because the
 * network delivered it late.
 */
final class LateStagingTest {
  @Test
  void run_stagingExecutedAfterTheRecovery_importsItsEntries() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open("memory:");
        Deployment deployment = RedisStaging.open(redis.url())) {
      new RedissonLayout(redis, "q").offer("random01", "payload", 1_000_000);
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      ImportTally tally = new ImportTally(false);
      RedissonKeys keys = new RedissonKeys("q");
      try (RedisStaging staging =
          new RedisStaging(deployment, keys.staging(), RedisStaging.LEASE)) {
        staging.acquire(ImportTarget.of(queue, ""));
        RunSettings settings =
            new RunSettings(
                false, 10, 10, Duration.ofMinutes(1), report -> {}, reason -> {}, () -> false);
        ImportContext context =
            new ImportContext(queue, new EntryCheck(RedissonPayloads.string()), settings, tally);
        RedissonSource source =
            new RedissonSource(
                staging, keys, Orphans.IMPORT, ReadyList.LEAVE, Duration.ZERO, context);

        boolean ended =
            new ImportRun<>(late(source), queue, RedissonPayloads.string(), settings, tally).run();

        assertThat(ended).isTrue();
        assertThat(queue.find("redisson-" + "72616e646f6d3031")).isPresent();
        assertThat(queue.counts().ready()).isEqualTo(1);
        assertThat(source.countStaged()).isZero();
      }
    }
  }

  /**
   * Returns the source. Its first staging gets no answer, and is executed when the importer stages
   * entries again.
   */
  private static ImportSource late(ImportSource source) {
    AtomicInteger stagings = new AtomicInteger();
    return (ImportSource)
        Proxy.newProxyInstance(
            ImportSource.class.getClassLoader(),
            new Class<?>[] {ImportSource.class},
            (proxy, method, args) -> {
              if (method.getName().equals("stage")) {
                int number = stagings.incrementAndGet();
                if (number == 1) {
                  throw new StoreUnavailableException("The reply is lost", null);
                }
                if (number == 2) {
                  List<?> unused = source.stage(10);
                }
              }
              return method.invoke(source, args);
            });
  }
}
