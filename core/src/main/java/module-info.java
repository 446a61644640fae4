/**
 * Punctual: a delay queue. Hand it a message and a time, and it hands the message back once that
 * time has come.
 */
@SuppressWarnings("module") // The harness and the journal are compiled later.
module io.punctual.core {
  requires static com.google.errorprone.annotations;
  requires static transitive org.jspecify;
  requires transitive io.punctual.timer;
  requires org.slf4j;

  exports io.punctual;
  exports io.punctual.embedded to
      io.punctual.journal;
  exports io.punctual.event;
  exports io.punctual.internal to
      io.punctual.harness;
  exports io.punctual.memory;
  exports io.punctual.spi;

  uses io.punctual.spi.StoreProvider;

  provides io.punctual.spi.StoreProvider with
      io.punctual.memory.MemoryStoreProvider;
}
