/** Delivers due messages to HTTP addresses. */
module io.punctual.webhook {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.http;
  requires io.punctual.view;
  requires org.eclipse.jetty.client;
  requires org.slf4j;

  exports io.punctual.webhook;
}
