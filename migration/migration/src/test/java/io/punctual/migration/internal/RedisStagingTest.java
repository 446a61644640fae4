package io.punctual.migration.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.request.RedisCallException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests that users of an importer get exceptions of the API. */
class RedisStagingTest {
  private static void await(RedisCallException failure) {
    Object unused = RedisStaging.await(CompletableFuture.failedFuture(failure));
  }

  @Test
  void await_redisGivesNoAnswer_isUnavailable() {
    assertThatThrownBy(() -> await(new RedisCallException.Unanswered("no answer", null)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("no answer");
    assertThatThrownBy(() -> await(new RedisCallException.NotSent("not asked", null)))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("not asked");
  }

  @Test
  void await_redisRefuses_isRefused() {
    assertThatThrownBy(() -> await(new RedisCallException.Refused("no right", null)))
        .isInstanceOf(StoreRefusedException.class)
        .hasMessage("no right");
  }
}
