/**
 * Connections to Redis deployments, for the store, the locks and the importers of Punctual; not an
 * API for users.
 */
@SuppressWarnings("module") // The modules that use this module are compiled after this module.
module io.punctual.redis.client {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.resolver;
  requires io.netty.transport;
  requires org.slf4j;

  exports io.punctual.redis.client to
      io.punctual.locks,
      io.punctual.migration,
      io.punctual.redis;
  exports io.punctual.redis.client.connection to
      io.punctual.locks,
      io.punctual.migration,
      io.punctual.redis;
  exports io.punctual.redis.client.deployment to
      io.punctual.locks,
      io.punctual.migration,
      io.punctual.redis;
  exports io.punctual.redis.client.request to
      io.punctual.locks,
      io.punctual.migration,
      io.punctual.redis;
}
