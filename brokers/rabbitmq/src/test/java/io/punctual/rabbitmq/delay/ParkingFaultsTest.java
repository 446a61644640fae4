package io.punctual.rabbitmq.delay;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/**
 * Tests the faults of the broker and the connections, with parked messages; skipped on brokers
 * before 4.3.
 */
@Tag("faults")
final class ParkingFaultsTest extends RabbitDelayQueueFaultsTest {
  @BeforeEach
  void brokerParks() {
    ParkingBroker.assume(broker);
  }

  @Override
  DelayMethod delayMethod() {
    return DelayMethod.PARKING;
  }
}
