package io.punctual.benchmarks.queue;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** A separate RabbitMQ server for a trial, with its defaults and its own port mapper. */
final class RabbitBroker implements Broker {
  private final int port = FreePorts.next();
  private final ServerProcess portMapper;
  private final ServerProcess server;

  RabbitBroker(Path directory) {
    int mapperPort = FreePorts.next();
    Map<String, String> environment = environment(directory, mapperPort);
    portMapper =
        ServerProcess.start(directory, "epmd", environment, List.of("epmd")).awaitPort(mapperPort);
    try {
      server =
          ServerProcess.start(
              directory, "rabbitmq", environment, List.of(Program.RABBITMQ.require().toString()));
      server.await(() -> answer(url()));
    } catch (RuntimeException e) {
      portMapper.close();
      throw e;
    }
  }

  private Map<String, String> environment(Path directory, int mapperPort) {
    Path plugins = directory.resolve("plugins");
    try {
      Files.writeString(plugins, "[].");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> environment = new HashMap<>();
    environment.put("HOME", directory.toString());
    environment.put("ERL_EPMD_PORT", Integer.toString(mapperPort));
    environment.put("ERL_EPMD_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODENAME", "bench@localhost");
    environment.put("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1");
    environment.put("RABBITMQ_NODE_PORT", Integer.toString(port));
    environment.put("RABBITMQ_DIST_PORT", Integer.toString(FreePorts.next()));
    environment.put("RABBITMQ_MNESIA_BASE", directory.resolve("rabbitmq").toString());
    environment.put("RABBITMQ_LOG_BASE", directory.toString());
    environment.put("RABBITMQ_CONFIG_FILE", directory.resolve("none").toString());
    environment.put("RABBITMQ_ENABLED_PLUGINS_FILE", plugins.toString());
    // Makes the script become the server, instead of supervising it.
    environment.put("RUNNING_UNDER_SYSTEMD", "true");
    return environment;
  }

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
    return "amqp://guest:guest@127.0.0.1:" + port;
  }

  @Override
  public OptionalDouble cpuSeconds() {
    return OptionalDouble.of(server.cpuSeconds());
  }

  @Override
  public OptionalDouble memoryBytes() {
    return OptionalDouble.of(server.residentBytes());
  }

  @Override
  public void close() {
    server.close();
    portMapper.close();
  }
}
