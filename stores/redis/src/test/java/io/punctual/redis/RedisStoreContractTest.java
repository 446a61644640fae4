package io.punctual.redis;

import io.punctual.Punctual;
import io.punctual.contract.StoreContract;
import io.punctual.harness.redis.RedisProcess;
import io.punctual.spi.Store;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * On a server of its own, or on the deployment that the system property {@code punctual.redis.url}
 * names: in a namespace of its own, whose queues it deletes in the end.
 */
final class RedisStoreContractTest extends StoreContract {
  private static final String GIVEN = System.getProperty("punctual.redis.url", "");

  private final String namespace = "contract-" + UUID.randomUUID();
  private RedisProcess redis;

  @BeforeAll
  void startRedis() {
    if (GIVEN.isEmpty()) {
      redis = RedisProcess.start();
    }
  }

  @AfterAll
  void stopRedis() {
    if (redis != null) {
      redis.close();
      return;
    }
    try (Punctual punctual = Punctual.builder().store(openStore()).build()) {
      for (String name : punctual.queues()) {
        punctual.purgeAndDeleteQueue(name);
      }
    }
  }

  @Override
  protected Store openStore() {
    return redis == null
        ? RedisStore.builder().url(GIVEN).namespace(namespace).open()
        : RedisStore.builder().url(redis.url()).open();
  }
}
