package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Connection;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

record BrokerVersion(int major, int minor) {
  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+).*");

  /**
   * Returns the version of the broker of a connection; empty if it is not a version of RabbitMQ.
   */
  static Optional<BrokerVersion> of(Connection connection) {
    Matcher parts =
        VERSION.matcher(String.valueOf(connection.getServerProperties().get("version")));
    return parts.matches()
        ? Optional.of(
            new BrokerVersion(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2))))
        : Optional.empty();
  }

  /**
   * Returns the version of the broker at this address.
   *
   * @param name the name of the connection
   * @throws io.punctual.PunctualException as {@link Connections#open}
   */
  static Optional<BrokerVersion> of(Endpoint endpoint, String name) {
    Connector connector = new Connector(name, endpoint);
    Connection connection = Connections.open(connector);
    try {
      return of(connection);
    } finally {
      connector.close(connection);
    }
  }

  boolean isBefore(int major, int minor) {
    return this.major < major || (this.major == major && this.minor < minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
