package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.QueueLimits;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Reply;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests rate limits after the server's clock stepped back. */
final class RateLimitClockTest {
  private static final String META = "{punctual:q:0}:meta";

  /**
   * The test does not set the clock. It moves the time at which the token bucket is full, as if
   * claims had stored this time while the clock was half an hour ahead.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void claim_clockSteppedBack_continuesAtTheRate(int partitions) {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store =
        RedisStore.builder().url(redis.url() + "?partitions=" + partitions).open()) {
      PartitionUser user = new PartitionUser(store, "q");
      await(
          user.partition()
              .limits(
                  QueueLimits.none().rate(10 * partitions, Duration.ofSeconds(1), 2 * partitions)));
      for (int i = 0; i < 4; i++) {
        user.schedule("m" + i, 10);
      }
      assertThat(user.claim(5).messages()).hasSize(2);
      long full = Long.parseLong((String) redis.ask("HGET", META, "full"));
      redis.ask("HSET", META, "full", Long.toString(full + 1_800_000_000L));
      Reply.Claimed empty = user.claim(5);
      assertThat(empty.messages()).isEmpty();
      assertThat(redis.ask("HGET", META, "full"))
          .isEqualTo(Long.toString(empty.engineMicros() + 200_000));
      Awaitility.await().until(() -> !user.claim(1).messages().isEmpty());
    }
  }
}
