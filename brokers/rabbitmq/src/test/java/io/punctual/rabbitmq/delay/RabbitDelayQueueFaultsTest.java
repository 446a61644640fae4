package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker is killed, and connections are cut, while messages are published, wait, and are
 * retried. {@code -Dpunctual.rabbitmq.messages} sets the number of messages, {@code
 * -Dpunctual.rabbitmq.kills} how often the broker is killed, and {@code -Dpunctual.seed} the random
 * delays.
 */
@Tag("faults")
class RabbitDelayQueueFaultsTest {
  private static final Logger log = LoggerFactory.getLogger(RabbitDelayQueueFaultsTest.class);
  private static final int MESSAGES = Integer.getInteger("punctual.rabbitmq.messages", 2_000);
  private static final int KILLS = Integer.getInteger("punctual.rabbitmq.kills", 2);
  private static final int LONGEST_DELAY_MILLIS = 6_000;
  private static final int PUBLISHERS = 4;

  final RabbitBroker broker = RabbitBroker.shared();
  private final String name = "faults-" + UUID.randomUUID();
  private final long seed = Long.getLong("punctual.seed", System.nanoTime());
  private final Ledger ledger = new Ledger();
  private final Ledger retries = new Ledger();
  private final AtomicInteger unconfirmed = new AtomicInteger();

  DelayMethod delayMethod() {
    return DelayMethod.LEVELS;
  }

  private RabbitDelayQueue<String> open(ConnectionFactory factory) {
    return RabbitDelayQueue.builder(factory, name, Codec.string())
        .delayMethod(delayMethod())
        .grain(Duration.ofMillis(100))
        .maxDelay(Duration.ofHours(1))
        .publishTimeout(Duration.ofSeconds(60))
        .open();
  }

  private RabbitWorker work(RabbitDelayQueue<String> queue) {
    return queue.work(
        WorkerOptions.builder()
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(100))
            .build(),
        this::handle);
  }

  /**
   * Receives a message. Every tenth message fails in its first attempt; its deliveries in later
   * attempts count as retries.
   */
  private void handle(RabbitDelivery<String> delivery) {
    String payload = delivery.payload();
    if (!payload.endsWith("0")) {
      ledger.received(payload);
      return;
    }
    if (ledger.awaits(payload)) {
      retries.publishing(payload, Duration.ofSeconds(1));
      retries.confirmed(payload);
      ledger.received(payload);
      throw new IllegalStateException("A planned failure");
    }
    if (delivery.attempt() == 1) {
      // The broker has delivered the message again, because the copy for the retry was not
      // confirmed.
      throw new IllegalStateException("A planned failure, again");
    }
    retries.received(payload);
  }

  /**
   * Publishes messages until {@code stop}, and at least this publisher's share of {@link
   * #MESSAGES}.
   */
  private void publish(RabbitDelayQueue<String> queue, int publisher, AtomicBoolean stop) {
    Random random = new Random(seed + publisher);
    for (int i = 0; i < MESSAGES / PUBLISHERS || !stop.get(); i++) {
      String payload = publisher + "-" + i;
      Duration delay = Duration.ofMillis(random.nextInt(LONGEST_DELAY_MILLIS));
      ledger.publishing(payload, delay);
      try {
        String unused = queue.publish(payload, delay);
        ledger.confirmed(payload);
      } catch (PunctualException e) {
        unconfirmed.incrementAndGet();
      }
      pause(random.nextInt(8));
    }
  }

  /** Waits between two messages, so that the messages are spread over the time of the faults. */
  private static void pause(int millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private List<Future<?>> startPublishers(
      ExecutorService threads, RabbitDelayQueue<String> queue, AtomicBoolean stop) {
    List<Future<?>> publishers = new ArrayList<>();
    for (int i = 0; i < PUBLISHERS; i++) {
      int publisher = i;
      publishers.add(threads.submit(() -> publish(queue, publisher, stop)));
    }
    return publishers;
  }

  private void finish(List<Future<?>> publishers) throws Exception {
    for (Future<?> publisher : publishers) {
      publisher.get(5, TimeUnit.MINUTES);
    }
    await().atMost(Duration.ofMinutes(4)).until(() -> ledger.hasAll() && retries.hasAll());
    log.info(
        "Seed {}: {} confirmed, {} unconfirmed, {} duplicates, {} duplicate retries; lateness p50"
            + " {} ms, p99 {} ms",
        seed,
        ledger.confirmed(),
        unconfirmed.get(),
        ledger.duplicates(),
        retries.duplicates(),
        ledger.latenessMillis(50),
        ledger.latenessMillis(99));
    ledger.assertNothingLostOrEarly();
    assertThat(retries.lost()).isEmpty();
  }

  @Test
  void brokerKilled_whileMessagesMove_losesNothing() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean stop = new AtomicBoolean();
    try (RabbitDelayQueue<String> queue = open(broker.connections())) {
      broker.syncDeclarations();
      RabbitWorker unused = work(queue);
      List<Future<?>> publishers = startPublishers(threads, queue, stop);
      for (int kill = 1; kill <= KILLS; kill++) {
        int received = kill * Math.min(500, MESSAGES / 4);
        await().atMost(Duration.ofMinutes(2)).until(() -> ledger.receivedConfirmed() >= received);
        broker.kill();
        broker.restart();
      }
      stop.set(true);
      finish(publishers);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void connectionsCut_whileMessagesMove_losesNothing() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicBoolean stop = new AtomicBoolean();
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port());
        RabbitDelayQueue<String> queue = open(RabbitBroker.connections(proxy.port()))) {
      RabbitWorker unused = work(queue);
      List<Future<?>> publishers = startPublishers(threads, queue, stop);
      for (int cut = 1; cut <= 5; cut++) {
        int received = cut * Math.min(100, MESSAGES / 10);
        await().atMost(Duration.ofMinutes(2)).until(() -> ledger.receivedConfirmed() >= received);
        proxy.cut();
      }
      stop.set(true);
      finish(publishers);
    } finally {
      threads.shutdownNow();
    }
  }
}
