/** Delayed messages to and from RabbitMQ. */
module io.punctual.rabbitmq {
  requires static com.google.errorprone.annotations;
  requires static com.rabbitmq.client.amqp;
  requires static transitive org.jspecify;
  requires transitive com.rabbitmq.client;
  requires transitive io.punctual.core;
  requires org.slf4j;

  exports io.punctual.rabbitmq;
  exports io.punctual.rabbitmq.delay;
}
