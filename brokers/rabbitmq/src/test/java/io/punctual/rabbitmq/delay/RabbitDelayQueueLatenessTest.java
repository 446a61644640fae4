package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the lateness at a steady rate of messages in a second: {@code
 * -Dpunctual.rabbitmq.rate=500}.
 */
@EnabledIfSystemProperty(named = "punctual.rabbitmq.rate", matches = "\\d+")
final class RabbitDelayQueueLatenessTest {
  private static final Logger log = LoggerFactory.getLogger(RabbitDelayQueueLatenessTest.class);
  private static final int SECONDS = 20;
  private static final int LONGEST_DELAY_MILLIS = 10_000;

  private final RabbitBroker broker = RabbitBroker.shared();
  private final int rate = Integer.getInteger("punctual.rabbitmq.rate", 500);

  @ParameterizedTest
  @CsvSource({
    "LEVELS,QUORUM,100",
    "LEVELS,QUORUM,1000",
    "LEVELS,CLASSIC,100",
    "LEVELS,CLASSIC,1000",
    "PARKING,QUORUM,1"
  })
  void lateness_steadyRate_isLogged(DelayMethod method, QueueType type, int unitMillis) {
    if (method == DelayMethod.PARKING) {
      ParkingBroker.assume(broker);
    }
    String name = "lateness-" + UUID.randomUUID();
    try (RabbitDelayQueue<String> queue =
        RabbitDelayQueue.builder(broker.connections(), name, Codec.string())
            .queueType(type)
            .delayMethod(method)
            .grain(Duration.ofMillis(Math.max(10, unitMillis)))
            .maxDelay(Duration.ofHours(1))
            .open()) {
      Ledger ledger = new Ledger();
      Ledger rounded = new Ledger();
      RabbitWorker unused =
          queue.work(
              delivery -> {
                ledger.received(delivery.payload());
                rounded.received(delivery.payload());
              });
      Random random = new Random(1);
      long start = System.nanoTime();
      for (int i = 0; i < rate * SECONDS; i++) {
        LockSupport.parkNanos(start + i * TimeUnit.SECONDS.toNanos(1) / rate - System.nanoTime());
        String payload = "m" + i;
        int delay = random.nextInt(LONGEST_DELAY_MILLIS);
        int roundedUp = (delay + unitMillis - 1) / unitMillis * unitMillis;
        ledger.publishing(payload, Duration.ofMillis(delay));
        rounded.publishing(payload, Duration.ofMillis(roundedUp));
        CompletionStage<?> unusedStage =
            queue
                .publishAsync(payload, Duration.ofMillis(delay))
                .thenAccept(id -> ledger.confirmed(payload));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> ledger.confirmed() == rate * SECONDS && ledger.hasAll());
      log.info(
          "{}/s, {}, {}, unit {} ms: lateness p50 {} ms, p99 {} ms; without the rounding p50 {} ms,"
              + " p99 {} ms",
          rate,
          method,
          type,
          unitMillis,
          Math.round(ledger.latenessMillis(50)),
          Math.round(ledger.latenessMillis(99)),
          Math.round(rounded.latenessMillis(50)),
          Math.round(rounded.latenessMillis(99)));
      ledger.assertNothingLostOrEarly();
      assertThat(ledger.duplicates()).isZero();
    }
  }
}
