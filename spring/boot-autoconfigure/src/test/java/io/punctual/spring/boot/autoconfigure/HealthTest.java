package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.kit.redis.RedisProcess;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

/** Tests the health of a store that stops and starts. */
class HealthTest {
  @Test
  void health_followsTheServer() {
    try (RedisProcess redis = RedisProcess.start();
        Punctual punctual = Punctual.open(redis.url())) {
      PunctualHealthIndicator health =
          new PunctualHealthIndicator(punctual, Duration.ofSeconds(1), Set::of);
      awaitUp(health);
      redis.kill();
      assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
      assertThat(health.health().getDetails()).containsKey("error");
      redis.restart();
      awaitUp(health);
    }
  }

  private static void awaitUp(PunctualHealthIndicator health) {
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> health.health().getStatus().equals(Status.UP));
  }
}
