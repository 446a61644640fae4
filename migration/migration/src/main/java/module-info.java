/** Importers for the messages of other delay queues, and copies between stores. */
module io.punctual.migration {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires io.punctual.redis.client;
  requires transitive java.sql;
  requires lettuce.core;
  requires org.slf4j;
  requires tools.jackson.core;

  exports io.punctual.migration;
  exports io.punctual.migration.copy;
  exports io.punctual.migration.deadletter;
  exports io.punctual.migration.redis;
  exports io.punctual.migration.redisson;
  exports io.punctual.migration.sql;
}
