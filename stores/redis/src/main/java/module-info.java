/** The Redis store of Punctual. */
module io.punctual.redis {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive lettuce.core;
  requires io.punctual.redis.client;
  requires org.slf4j;

  exports io.punctual.redis;

  provides io.punctual.spi.StoreProvider with
      io.punctual.redis.RedisStoreProvider;
}
