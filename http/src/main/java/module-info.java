/** The HTTP API as a function of a request. */
module io.punctual.http {
  requires static transitive jakarta.servlet;
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires io.punctual.cron;
  requires transitive io.punctual.httpstore;
  requires transitive io.punctual.view;
  requires org.slf4j;
  requires tools.jackson.core;

  exports io.punctual.http;
  exports io.punctual.http.access;
  exports io.punctual.http.console;
  exports io.punctual.http.exchange;
  exports io.punctual.http.servlet;
  exports io.punctual.http.store;
  exports io.punctual.http.token;
  exports io.punctual.http.webhook;
}
