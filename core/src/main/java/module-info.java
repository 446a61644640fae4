/** Punctual: a delay queue. It delivers each scheduled message when its time has come. */
@SuppressWarnings("module") // The modules that these exports name are compiled later.
module io.punctual.core {
  requires static com.google.errorprone.annotations;
  requires static transitive org.jspecify;
  requires transitive io.punctual.timer;
  requires org.slf4j;

  exports io.punctual;
  exports io.punctual.collection;
  exports io.punctual.deadletter;
  exports io.punctual.embedded to
      io.punctual.httpstore,
      io.punctual.jdbc,
      io.punctual.journal;
  exports io.punctual.event;
  exports io.punctual.internal.client to
      io.punctual.kit;
  exports io.punctual.internal.log to
      io.punctual.httpstore,
      io.punctual.jdbc,
      io.punctual.journal,
      io.punctual.kit,
      io.punctual.locks,
      io.punctual.migration,
      io.punctual.redis,
      io.punctual.redis.client;
  exports io.punctual.internal.message to
      io.punctual.http,
      io.punctual.httpstore,
      io.punctual.kafka,
      io.punctual.kit,
      io.punctual.migration,
      io.punctual.rabbitmq,
      io.punctual.webhook;
  exports io.punctual.internal.runtime to
      io.punctual.http,
      io.punctual.httpstore,
      io.punctual.kafka,
      io.punctual.kit,
      io.punctual.migration,
      io.punctual.rabbitmq,
      io.punctual.redis.client;
  exports io.punctual.memory;
  exports io.punctual.spi;
  exports io.punctual.task;

  uses io.punctual.spi.RecurrenceProvider;
  uses io.punctual.spi.StoreProvider;

  provides io.punctual.spi.StoreProvider with
      io.punctual.memory.MemoryStoreProvider;
}
