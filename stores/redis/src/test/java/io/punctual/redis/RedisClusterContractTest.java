package io.punctual.redis;

import io.punctual.contract.StoreContract;
import io.punctual.kit.redis.RedisCluster;
import io.punctual.spi.Store;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("extended")
final class RedisClusterContractTest extends StoreContract {
  private RedisCluster redis;

  @BeforeAll
  void startRedis() {
    redis = RedisCluster.start(3, 0);
  }

  @AfterAll
  void stopRedis() {
    redis.close();
  }

  @Override
  protected Store openStore() {
    return RedisStoreContractTest.patient(RedisStore.builder()).url(redis.url()).open();
  }
}
