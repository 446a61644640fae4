/** The tests that every store must pass, for authors of stores. */
module io.punctual.contract {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.test;
  requires transitive io.punctual.timer;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.assertj.core;

  exports io.punctual.contract;

  opens io.punctual.contract to
      org.junit.platform.commons;
}
