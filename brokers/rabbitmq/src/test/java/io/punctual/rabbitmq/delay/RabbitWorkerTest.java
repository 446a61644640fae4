package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.punctual.ClientClosedException;
import io.punctual.RetryAfterException;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests handlers, retries, dead letters, and closes. */
class RabbitWorkerTest extends DelayQueueFixture {
  @Test
  void publish_headersAndId_reachTheHandlerInEveryAttempt() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    BlockingQueue<String> ids = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            RETRY_SOON,
            delivery -> {
              received.add(Received.of(delivery));
              ids.add(delivery.id());
              assertThat(delivery.dueAt()).isPresent();
              assertThat(delivery.attempt()).isEqualTo(2);
            });
    String id = queue.publish("x", SOON, Map.of("tenant", "ä", "x-request-id", "7"));
    for (int attempt = 1; attempt <= 2; attempt++) {
      Received message = next(received);
      assertThat(message.attempt()).isEqualTo(attempt);
      assertThat(message.headers())
          .containsOnly(Map.entry("tenant", "ä"), Map.entry("x-request-id", "7"));
      assertThat(next(ids)).isEqualTo(id);
    }
  }

  @ParameterizedTest
  @EnumSource(QueueType.class)
  void handlerThrows_always_isRetriedWithDelayAndBecomesADeadLetter(QueueType type)
      throws Exception {
    RabbitDelayQueue<String> queue = open(builder().queueType(type));
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            RETRY_SOON,
            delivery -> {
              received.add(Received.of(delivery));
              throw new IllegalStateException("broken");
            });
    String id = queue.publish("x", Duration.ZERO, Map.of("tenant", "a"));
    Received first = next(received);
    Received second = next(received);
    Received third = next(received);
    assertThat(List.of(first.attempt(), second.attempt(), third.attempt()))
        .containsExactly(1, 2, 3);
    assertThat(List.of(first.last(), second.last(), third.last()))
        .containsExactly(false, false, true);
    assertThat(second.nanos() - first.nanos()).isGreaterThan(SOON.toNanos());
    assertThat(third.nanos() - second.nanos()).isGreaterThan(SOON.toNanos());

    GetResponse dead = awaitDeadLetter(queue);
    assertThat(new String(dead.getBody(), StandardCharsets.UTF_8)).isEqualTo("x");
    assertThat(dead.getProps().getMessageId()).isEqualTo(id);
    assertThat(dead.getProps().getDeliveryMode()).isEqualTo(2);
    Map<String, Object> headers = dead.getProps().getHeaders();
    assertThat(headers.get(Headers.DEAD_REASON)).hasToString("FAILED");
    assertThat(headers.get(Headers.DEAD_DETAIL).toString()).contains("broken");
    assertThat(headers.get(Headers.DEAD_ATTEMPTS)).isEqualTo(3);
    assertThat(headers.get("tenant")).hasToString("a");
    assertThat(headers).doesNotContainKeys("x-death", Headers.ATTEMPTS);
    assertThat(received).isEmpty();
  }

  @Test
  void retryAfterException_delay_replacesThePolicys() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            RETRY_SOON,
            delivery -> {
              received.add(Received.of(delivery));
              if (delivery.attempt() == 1) {
                throw new RetryAfterException(Duration.ofSeconds(1), null);
              }
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    long first = next(received).nanos();
    assertThat(next(received).nanos() - first).isGreaterThan(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void retryPolicy_throws_retriesLater() throws Exception {
    RabbitDelayQueue<String> queue = open(builder().maxDelay(Duration.ofMillis(400)));
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RetryPolicy broken =
        (attempt, failure, random) -> {
          throw new IllegalStateException("policy");
        };
    RabbitWorker unused =
        queue.work(
            WorkerOptions.builder().retryPolicy(broken.maxAttempts(2)).build(),
            delivery -> {
              received.add(Received.of(delivery));
              throw new IllegalStateException("handler");
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    assertThat(next(received).attempt()).isEqualTo(1);
    assertThat(next(received).attempt()).isEqualTo(2);
    assertThat(awaitDeadLetter(queue)).isNotNull();
  }

  @Test
  void codec_cannotDecode_messageBecomesADeadLetter() throws Exception {
    RabbitDelayQueue<String> queue = open();
    RabbitWorker unused = queue.work(RETRY_SOON, delivery -> {});
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.basicPublish("", name, null, new byte[] {(byte) 0xff});
    }
    GetResponse dead = awaitDeadLetter(queue);
    assertThat(dead.getBody()).containsExactly(0xff);
    assertThat(dead.getProps().getHeaders().get(Headers.DEAD_REASON)).hasToString("UNDECODABLE");
    assertThat(dead.getProps().getHeaders().get(Headers.DEAD_ATTEMPTS)).isEqualTo(3);
  }

  @Test
  void foreignMessage_riskyProperties_isRetriedOnItsDelay() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            RETRY_SOON,
            delivery -> {
              received.add(Received.of(delivery));
              assertThat(delivery.attempt()).isEqualTo(2);
            });
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      BasicProperties properties =
          new BasicProperties.Builder()
              .expiration("60000")
              .priority(9)
              .userId("guest")
              .headers(Map.of("number", 7, "x-death", List.of(Map.of("count", 1L))))
              .build();
      channel.basicPublish("", name, properties, "x".getBytes(StandardCharsets.UTF_8));
    }
    Received first = next(received);
    Received second = next(received);
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.nanos() - first.nanos()).isGreaterThan(SOON.toNanos());
    assertThat(second.headers()).containsOnly(Map.entry("number", "7"));
  }

  @Test
  void foreignMessage_itsCopyWouldNotFitIntoAFrame_becomesADeadLetterAsItIs() throws Exception {
    RabbitDelayQueue<String> queue = open();
    RabbitWorker unused =
        queue.work(
            WorkerOptions.builder().concurrency(1).retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              throw new IllegalStateException("broken");
            });
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      // The header is as long as the broker's limit for a frame allows.
      String header = "x".repeat(connection.getFrameMax() - 60);
      BasicProperties properties =
          new BasicProperties.Builder().headers(Map.of("large", header)).build();
      channel.basicPublish("", name, properties, "large".getBytes(StandardCharsets.UTF_8));
      // The test only counts the dead letter: the broker has added headers, so the client could not
      // receive it.
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> channel.messageCount(queue.deadLetterQueue()) == 1);
    }
  }

  @Test
  void delivery_settledByTheHandler_isNotSettledAgain() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    BlockingQueue<Throwable> second = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            delivery -> {
              received.add(Received.of(delivery));
              if (delivery.attempt() == 1) {
                var unusedOutcome = delivery.retry(SOON);
              } else {
                var unusedOutcome = delivery.bury("enough");
              }
              try {
                var unusedOutcome = delivery.ack();
              } catch (IllegalStateException e) {
                second.add(e);
              }
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    assertThat(next(received).attempt()).isEqualTo(1);
    assertThat(next(received).attempt()).isEqualTo(2);
    assertThat(next(second)).hasMessageContaining("settled already");
    assertThat(next(second)).hasMessageContaining("settled already");
    Map<String, Object> headers = awaitDeadLetter(queue).getProps().getHeaders();
    assertThat(headers.get(Headers.DEAD_REASON)).hasToString("BY_CALLER");
    assertThat(headers.get(Headers.DEAD_DETAIL)).hasToString("enough");
  }

  @Test
  void consumerKilled_runningHandler_messageIsDeliveredAgain() throws Exception {
    RabbitDelayQueue<String> queue = open();
    CountDownLatch killed = new CountDownLatch(1);
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    CompletableFuture<Boolean> lost = new CompletableFuture<>();
    RabbitWorker unused =
        queue.work(
            delivery -> {
              received.add(Received.of(delivery));
              if (delivery.attempt() == 1) {
                killed.await();
                boolean unusedFirst = lost.complete(delivery.isLost());
              }
            });
    String unusedId = queue.publish("x", SOON);
    assertThat(next(received).attempt()).isEqualTo(1);
    killConnections("worker");
    assertThat(next(received).attempt()).isEqualTo(2);
    killed.countDown();
    assertThat(lost.get(60, TimeUnit.SECONDS)).isTrue();
  }

  /**
   * Closes the connections of this test's queue that have this role. Their names end with the role.
   */
  private void killConnections(String role) {
    String connection = "punctual " + name + " " + role;
    String unused =
        broker.control(
            "eval",
            "[rabbit_networking:close_connection(P, \"test\") || P <-"
                + " rabbit_networking:connections(), lists:member({<<\"connection_name\">>,"
                + " longstr, <<\""
                + connection
                + "\">>}, proplists:get_value(client_properties,"
                + " rabbit_reader:info(P, [client_properties])))].");
  }

  @Test
  void handler_diesInEveryAttempt_messageBecomesADeadLetterWithoutAHandler() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Integer> attempts = new LinkedBlockingQueue<>();
    CountDownLatch end = new CountDownLatch(1);
    RabbitWorker unused =
        queue.work(
            WorkerOptions.builder().retryPolicy(RetryPolicy.never().maxAttempts(2)).build(),
            delivery -> {
              attempts.add(delivery.attempt());
              end.await();
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    assertThat(next(attempts)).isEqualTo(1);
    killConnections("worker");
    assertThat(next(attempts)).isEqualTo(2);
    killConnections("worker");
    Map<String, Object> headers = awaitDeadLetter(queue).getProps().getHeaders();
    assertThat(headers.get(Headers.DEAD_REASON)).hasToString("WORKERS_DIED");
    assertThat(attempts).isEmpty();
    end.countDown();
  }

  @Test
  void close_runningHandler_waitsAndReturnsTheRest() throws Exception {
    RabbitDelayQueue<String> queue = open();
    AtomicInteger handled = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(2);
    CountDownLatch proceed = new CountDownLatch(1);
    RabbitWorker worker =
        queue.work(
            WorkerOptions.builder().concurrency(2).build(),
            delivery -> {
              started.countDown();
              proceed.await();
              handled.incrementAndGet();
            });
    for (int i = 0; i < 5; i++) {
      String unusedId = queue.publish("m" + i, Duration.ZERO);
    }
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(worker::close);
    await().atMost(Duration.ofMinutes(1)).until(worker::isClosed);
    proceed.countDown();
    closing.get(60, TimeUnit.SECONDS);
    worker.await();
    assertThat(worker.running()).isZero();
    int first = handled.get();
    assertThat(first).isBetween(2, 5);

    BlockingQueue<Received> rest = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> rest.add(Received.of(delivery)));
    for (int i = first; i < 5; i++) {
      assertThat(next(rest).attempt()).isEqualTo(1);
    }
    assertThat(rest).isEmpty();
  }

  @Test
  void close_handlerIgnoresTheGrace_isInterruptedAndTheMessageReturns() throws Exception {
    RabbitDelayQueue<String> queue = open();
    CountDownLatch started = new CountDownLatch(1);
    RabbitWorker worker =
        queue.work(
            delivery -> {
              started.countDown();
              new CountDownLatch(1).await();
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    worker.close(Duration.ofMillis(100));
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused = queue.work(delivery -> received.add(Received.of(delivery)));
    assertThat(next(received).payload()).isEqualTo("x");
  }

  @Test
  void close_inTheHandler_doesNotWaitForItself() throws Exception {
    RabbitDelayQueue<String> queue = open();
    CompletableFuture<RabbitWorker> own = new CompletableFuture<>();
    RabbitWorker worker = queue.work(delivery -> own.get().close());
    boolean unusedFirst = own.complete(worker);
    String unusedId = queue.publish("x", Duration.ZERO);
    worker.await();
    queue.close();
    assertThatThrownBy(() -> queue.publish("x", Duration.ZERO))
        .isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> queue.work(delivery -> {})).isInstanceOf(ClientClosedException.class);
  }
}
