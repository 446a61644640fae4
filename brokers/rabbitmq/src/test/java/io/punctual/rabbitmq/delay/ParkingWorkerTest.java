package io.punctual.rabbitmq.delay;

import org.junit.jupiter.api.BeforeEach;

/** Runs the tests of workers with parked messages; skipped on brokers before 4.3. */
final class ParkingWorkerTest extends RabbitWorkerTest {
  @BeforeEach
  void brokerParks() {
    ParkingBroker.assume(broker);
  }

  @Override
  DelayMethod delayMethod() {
    return DelayMethod.PARKING;
  }
}
