/** The journal store of Punctual: durable and embedded, with nothing to install. */
module io.punctual.journal {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires org.slf4j;

  exports io.punctual.journal;
  exports io.punctual.journal.report;

  provides io.punctual.spi.StoreProvider with
      io.punctual.journal.JournalStoreProvider;
}
