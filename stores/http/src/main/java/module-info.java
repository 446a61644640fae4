/** The store behind a Punctual server, and the service that such a server mounts. */
module io.punctual.httpstore {
  // At run time too: the wire form reads which parts of records can be null.
  requires transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires java.net.http;
  requires org.slf4j;
  requires tools.jackson.core;
  requires tools.jackson.dataformat.cbor;

  exports io.punctual.httpstore;
  exports io.punctual.httpstore.service;

  provides io.punctual.spi.StoreProvider with
      io.punctual.httpstore.HttpStoreProvider;
}
