/**
 * For the tests of this project: a simulation of clients and stores under faults, a checker for the
 * recorded histories of several processes, a proxy that injects network faults, child JVMs, and
 * servers.
 */
module io.punctual.kit {
  requires static transitive com.rabbitmq.client;
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive io.punctual.timer;
  requires awaitility;
  requires transitive org.junit.jupiter.api;
  requires transitive java.sql;
  requires org.opentest4j;
  requires org.slf4j;
  requires org.tukaani.xz;

  exports io.punctual.kit.database;
  exports io.punctual.kit.fault;
  exports io.punctual.kit.history;
  exports io.punctual.kit.kill;
  exports io.punctual.kit.log;
  exports io.punctual.kit.patience;
  exports io.punctual.kit.process;
  exports io.punctual.kit.rabbitmq;
  exports io.punctual.kit.redis;
  exports io.punctual.kit.simulation;
  exports io.punctual.kit.views;

  provides org.junit.jupiter.api.extension.Extension with
      io.punctual.kit.patience.PatientAwaitility;
}
