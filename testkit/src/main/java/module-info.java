/**
 * For authors of stores and for tests of those who use Punctual: the contract that every store
 * passes, and a clock that is moved by hand.
 */
module io.punctual.testkit {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires transitive org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.assertj.core;

  exports io.punctual.testkit;

  opens io.punctual.testkit to
      org.junit.platform.commons;
}
