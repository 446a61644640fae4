package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.punctual.Codec;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Delay queues with a name of their own on a shared broker. */
abstract class DelayQueueFixture {
  static final Duration SOON = Duration.ofMillis(300);
  static final WorkerOptions RETRY_SOON =
      WorkerOptions.builder().retryPolicy(RetryPolicy.fixed(SOON).maxAttempts(3)).build();
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");
  private static final int MESSAGES = THOROUGH ? 2_000 : 500;
  private static final int LONGEST_MILLIS = THOROUGH ? 4_000 : 1_500;

  final RabbitBroker broker = RabbitBroker.shared();
  final String name = "test-" + UUID.randomUUID();
  final List<RabbitDelayQueue<?>> open = new ArrayList<>();

  @AfterEach
  void closeQueues() {
    open.forEach(RabbitDelayQueue::close);
  }

  RabbitDelayQueueBuilder<String> builder() {
    return RabbitDelayQueue.builder(broker.connections(), name, Codec.string())
        .delayMethod(delayMethod())
        .grain(Duration.ofMillis(100))
        .maxDelay(Duration.ofHours(1));
  }

  DelayMethod delayMethod() {
    return DelayMethod.LEVELS;
  }

  RabbitDelayQueue<String> open(RabbitDelayQueueBuilder<String> builder) {
    assumeFalse(
        builder.delayMethod() == DelayMethod.PARKING && builder.type() == QueueType.CLASSIC,
        "RabbitMQ parks messages in quorum queues only");
    RabbitDelayQueue<String> queue = builder.open();
    open.add(queue);
    return queue;
  }

  RabbitDelayQueue<String> open() {
    return open(builder());
  }

  /** Publishes messages with random delays; each message must arrive once, and none early. */
  static void assertRandomDelaysArrive(RabbitDelayQueue<String> queue) {
    Ledger ledger = new Ledger();
    RabbitWorker unused = queue.work(delivery -> ledger.received(delivery.payload()));
    Random random = new Random(42);
    List<CompletableFuture<?>> confirmations = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      String payload = "m" + i;
      Duration delay = Duration.ofMillis(random.nextInt(LONGEST_MILLIS));
      ledger.publishing(payload, delay);
      confirmations.add(
          queue
              .publishAsync(payload, delay)
              .thenAccept(id -> ledger.confirmed(payload))
              .toCompletableFuture());
    }
    CompletableFuture.allOf(confirmations.toArray(CompletableFuture[]::new)).join();
    await().atMost(Duration.ofMinutes(2)).until(ledger::hasAll);
    assertThat(ledger.confirmed()).isEqualTo(MESSAGES);
    ledger.assertNothingLostOrEarly();
    assertThat(ledger.duplicates()).isZero();
  }

  record Received(
      String payload, int attempt, boolean last, long nanos, Map<String, String> headers) {
    static Received of(RabbitDelivery<String> delivery) {
      return new Received(
          delivery.payload(),
          delivery.attempt(),
          delivery.isLastAttempt(),
          System.nanoTime(),
          delivery.headers());
    }
  }

  static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
    T next = queue.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("next message").isNotNull();
    return next;
  }

  GetResponse awaitDeadLetter(RabbitDelayQueue<?> queue) throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      return await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.basicGet(queue.deadLetterQueue(), true), it -> it != null);
    }
  }
}
