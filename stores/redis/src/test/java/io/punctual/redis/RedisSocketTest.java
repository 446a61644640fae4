package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import io.punctual.kit.redis.RedisProcess;
import org.junit.jupiter.api.Test;

final class RedisSocketTest {
  @Test
  void open_unixSocket_works() {
    assumeTrue(Epoll.isAvailable(), "Netty's native transport is not for this machine");
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store =
        RedisStore.builder().url("redis-socket://" + redis.socket() + "?database=3").open()) {
      PartitionUser user = new PartitionUser(store, "q");
      user.schedule("a", 10);
      assertThat(await(user.partition().counts()).ready()).isEqualTo(1);
      assertThat(redis.ask("INFO", "keyspace").toString()).contains("db3:");
    }
  }
}
