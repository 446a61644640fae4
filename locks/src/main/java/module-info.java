/** The distributed locks of Punctual. */
module io.punctual.locks {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive lettuce.core;
  requires io.punctual.redis.client;
  requires org.slf4j;

  exports io.punctual.lock;
}
