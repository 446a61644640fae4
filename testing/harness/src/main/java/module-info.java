/**
 * For the tests of this project: a simulation of clients and stores under faults, a checker for the
 * recorded histories of several processes, a proxy that injects network faults, and Redis servers.
 */
module io.punctual.harness {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;

  exports io.punctual.harness.fault;
  exports io.punctual.harness.history;
  exports io.punctual.harness.redis;
  exports io.punctual.harness.repeat;
  exports io.punctual.harness.simulation;
}
