package io.punctual.benchmarks.queue;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.util.OptionalDouble;

/** A separate RabbitMQ server for a trial, with its defaults and its own port mapper. */
final class RabbitBroker implements Broker {
  private final io.punctual.kit.rabbitmq.RabbitBroker server =
      io.punctual.kit.rabbitmq.RabbitBroker.withDefaults(Program.RABBITMQ.require());

  /** Returns the server's version. */
  static String answer(String url) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(url);
    try (Connection connection = factory.newConnection()) {
      return String.valueOf(connection.getServerProperties().get("version"));
    }
  }

  @Override
  public String url() {
    return server.url();
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(server.cpuTime().toNanos() / 1e9);
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.of((double) server.residentBytes());
  }

  @Override
  public void close() {
    server.close();
  }
}
