/**
 * For authors of stores and for tests of those who use Punctual: the contract that every store
 * passes, a clock that is moved by hand, a proxy that disturbs connections, a checker of what
 * several processes did and saw, and a simulation of clients in trouble.
 */
module io.punctual.testkit {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.assertj.core;

  exports io.punctual.testkit;
  exports io.punctual.testkit.fault;
  exports io.punctual.testkit.history;
  exports io.punctual.testkit.redis;
  exports io.punctual.testkit.simulation;

  opens io.punctual.testkit to
      org.junit.platform.commons;
}
