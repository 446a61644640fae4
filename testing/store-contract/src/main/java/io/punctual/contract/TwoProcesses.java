package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** The clients of two processes: a consumer, and a process that settles by receipts. */
final class TwoProcesses {
  static final Duration LEASE = Duration.ofMinutes(1);

  private TwoProcesses() {}

  /** Runs a test with the queue of the consumer, and the queue of the other process. */
  static void run(
      TestPartition partition, BiConsumer<TimedQueue<String>, TimedQueue<String>> test) {
    partition.needs(Capability.BROWSE);
    String queue = partition.partition().queue();
    try (Punctual consumer = partition.client();
        Punctual settler = partition.client()) {
      test.accept(consumer.queue(queue, Codec.string()), settler.queue(queue, Codec.string()));
    }
  }

  /** Schedules a message, and claims it. */
  static Delivery<String> scheduled(TestPartition partition, TimedQueue<String> queue, String id) {
    queue.schedule(Message.of("x").id(id));
    return claimed(partition, queue);
  }

  /** Claims the only message that is due. */
  static Delivery<String> claimed(TestPartition partition, TimedQueue<String> queue) {
    return claimed(partition, queue, LEASE);
  }

  static Delivery<String> claimed(
      TestPartition partition, TimedQueue<String> queue, Duration lease) {
    partition.advance(Duration.ofMillis(2));
    List<Delivery<String>> claimed = queue.claim(10, ClaimOptions.DEFAULT.lease(lease));
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  static StoredMessage<String> stored(TimedQueue<String> queue, String id) {
    return queue.find(id).orElseThrow();
  }
}
