package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Durability;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Operation;
import io.punctual.spi.Registration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests stores that are closed while connections are being made and used. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class ClosingTest {
  private static final String QUICK = "?durabilityTimeout=1ms&timeout=60s";
  private static final int ROUNDS = Boolean.getBoolean("punctual.thorough") ? 60 : 10;

  @Test
  @Tag("extended")
  void close_connectionsAreBeingMade_eventLoopsEndAfterThem() {
    try (RedisProcess redis = RedisProcess.start()) {
      openAndClose(redis.url());
    }
  }

  @Test
  void close_connectionsToAClusterAreBeingMade_eventLoopsEndAfterThem() {
    try (RedisCluster redis = RedisCluster.start(3, 0)) {
      openAndClose(redis.url());
    }
  }

  private static void openAndClose(String url) {
    try (CapturedLog log = new CapturedLog()) {
      for (int round = 0; round < ROUNDS; round++) {
        try (RedisStore store = RedisStore.builder().url(url + QUICK).open()) {
          PartitionUser user = new PartitionUser(store, "q");
          Registration subscription = user.partition().onWakeUp(untilNext -> {});
          Operation message = PartitionUser.scheduling("m" + round, PartitionUser.PAST, 1);
          user.apply(new Durability(false, 1), message);
          if (round % 2 == 0) {
            subscription.close();
          }
        }
      }
      Awaitility.await().until(() -> threadsOfLettuce() == 0);
      assertThat(log.linesWith("ERROR")).isEmpty();
      assertThat(log.linesWith("WARN"))
          .allMatch(line -> line.contains(PersistenceCheck.class.getSimpleName()));
    }
  }

  private static long threadsOfLettuce() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("lettuce-"))
        .count();
  }
}
