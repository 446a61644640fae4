package io.punctual.redis;

import io.punctual.spi.Store;
import io.punctual.testkit.StoreContract;
import io.punctual.testkit.redis.RedisProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class RedisStoreContractTest extends StoreContract {
  private RedisProcess redis;

  @BeforeAll
  void startRedis() {
    redis = RedisProcess.start();
  }

  @AfterAll
  void stopRedis() {
    redis.close();
  }

  @Override
  protected Store openStore() {
    return RedisStore.builder().url(redis.url()).open();
  }
}
