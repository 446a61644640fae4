/** Meters and observations of Punctual by Micrometer. */
module io.punctual.micrometer {
  requires static transitive org.jspecify;
  requires static transitive io.punctual.locks;
  requires static transitive io.punctual.rabbitmq;
  requires static transitive micrometer.tracing;
  requires transitive io.punctual.core;
  requires transitive micrometer.commons;
  requires transitive micrometer.core;
  requires transitive micrometer.observation;
  requires org.slf4j;

  exports io.punctual.micrometer;
}
