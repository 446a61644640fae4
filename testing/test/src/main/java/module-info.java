/** For tests of applications: a clock that a test advances, so that tests do not wait. */
module io.punctual.test {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;

  exports io.punctual.test;
}
