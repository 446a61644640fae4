/** Forwards due messages to Kafka. */
module io.punctual.kafka {
  requires static com.google.errorprone.annotations;
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires kafka.clients;
  requires org.slf4j;

  exports io.punctual.kafka;
}
