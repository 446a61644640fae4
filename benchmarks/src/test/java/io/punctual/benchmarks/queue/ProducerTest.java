package io.punctual.benchmarks.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.benchmarks.queue.MessageLog.Row;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ProducerTest {
  private static final int COUNT = 10;

  @TempDir Path folder;

  /** The warm-up would otherwise be a part of the measured drain. */
  @Test
  @Timeout(60)
  void drain_ofASlowConsumer_beginsWhenTheWarmUpIsDelivered() throws Exception {
    Path scheduledLog = folder.resolve("scheduled");
    Path deliveredLog = folder.resolve("delivered");
    Orders orders =
        new Orders(
            QueueKind.DELAY_QUEUE,
            "",
            0,
            1,
            COUNT,
            0,
            100,
            1,
            0,
            0,
            scheduledLog.toString(),
            deliveredLog.toString());
    CountDownLatch handed = new CountDownLatch(COUNT);
    try (QueueContender queue = orders.kind().open(orders.url());
        MessageLog scheduled = new MessageLog(scheduledLog);
        MessageLog delivered = new MessageLog(deliveredLog)) {
      queue.consume(1, payload -> handle(payload, delivered, handed));

      new Producer(orders, queue, scheduled).run();

      assertThat(handed.await(30, TimeUnit.SECONDS)).isTrue();
    }
    List<Row> ofWarmUp =
        MessageLog.read(deliveredLog).stream()
            .filter(row -> !Producer.isCounted(row.number()))
            .toList();
    assertThat(ofWarmUp).hasSizeGreaterThan(1_000);
    assertThat(MessageLog.read(scheduledLog))
        .hasSize(COUNT)
        .allMatch(row -> row.atMicros() > ofWarmUp.get(ofWarmUp.size() - 1).atMicros());
  }

  /** Handles fewer messages in a second than the warm-up may schedule. */
  private static void handle(byte[] payload, MessageLog delivered, CountDownLatch handed) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    delivered.add(payload);
    if (Producer.isCounted(MessageLog.row(payload).number())) {
      handed.countDown();
    }
  }
}
