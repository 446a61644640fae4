package io.punctual.rabbitmq.delay;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Connection;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeoutException;

/** Checks whether the broker of the tests can park messages. */
final class ParkingBroker {
  private ParkingBroker() {}

  /** Skips the test on a broker that can't park messages. */
  static void assume(RabbitBroker broker) {
    assumeTrue(
        canPark(broker),
        "This broker can't park messages: name a rabbitmq-server 4.3 or newer by"
            + " -Dpunctual.rabbitmq.program");
  }

  static boolean canPark(RabbitBroker broker) {
    try (Connection connection = broker.connections().newConnection()) {
      return BrokerVersion.of(connection).filter(version -> !version.isBefore(4, 3)).isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }
}
