/** The Redis store of Punctual. */
module io.punctual.redis {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires org.slf4j;

  exports io.punctual.redis;
  exports io.punctual.redis.lock;

  provides io.punctual.spi.StoreProvider with
      io.punctual.redis.RedisStoreProvider;
}
