package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Connection;
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

  boolean isBefore(int major, int minor) {
    return this.major < major || (this.major == major && this.minor < minor);
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
