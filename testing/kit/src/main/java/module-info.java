/**
 * For the tests of this project: a simulation of clients and stores under faults, a checker for the
 * recorded histories of several processes, a proxy that injects network faults, child JVMs, and
 * servers.
 */
module io.punctual.kit {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;

  exports io.punctual.kit.fault;
  exports io.punctual.kit.history;
  exports io.punctual.kit.kill;
  exports io.punctual.kit.process;
  exports io.punctual.kit.redis;
  exports io.punctual.kit.simulation;
}
