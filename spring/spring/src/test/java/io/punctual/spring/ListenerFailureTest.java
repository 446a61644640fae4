package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.RetryPolicy;
import io.punctual.deadletter.DeadHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * Tests methods that fail: with rules of a retry policy, with an error handler, and with null as
 * their result.
 */
class ListenerFailureTest extends ContextFixture {
  static class Rules extends Received {
    @PunctualListener(
        value = "fatal",
        retry = "patient",
        noRetryFor = IllegalArgumentException.class)
    void fatal(String text) {
      throw new IllegalArgumentException("bad");
    }

    @PunctualListener(value = "once", retry = "patient", maxAttempts = "1")
    void once(String text) {
      throw new IllegalStateException("again");
    }

    @Bean
    static RetryPolicy patient() {
      RetryPolicy hourly = RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(1000);
      return RetryPolicy.DEFAULT.forFailure(RuntimeException.class, hourly);
    }
  }

  @Test
  void noRetryFor_winsAgainstARuleOfThePolicy() {
    start(Rules.class);
    schedule("fatal", "x");
    assertThat(dead("fatal").attempts()).isEqualTo(1);
  }

  @Test
  void maxAttempts_limitsTheRulesOfThePolicy() {
    start(Rules.class);
    schedule("once", "x");
    assertThat(dead("once").attempts()).isEqualTo(1);
  }

  static class Nothing extends Received {
    @PunctualListener(value = "stage", maxAttempts = "1")
    @Nullable CompletionStage<?> stage(String text) {
      return null;
    }

    @PunctualListener(value = "mono", maxAttempts = "1")
    @Nullable Mono<Void> mono(String text) {
      return null;
    }

    @PunctualListener(value = "batch", maxAttempts = "1")
    @Nullable CompletionStage<?> batch(List<String> texts) {
      return null;
    }
  }

  @Test
  void nullInsteadOfAResult_isAFailure() {
    start(Nothing.class);
    for (String queue : List.of("stage", "mono", "batch")) {
      schedule(queue, "x");
      assertThat(dead(queue).reason().orElseThrow()).contains("null instead of a stage");
    }
  }

  static class Errors extends Received {
    final List<Throwable> handled = new CopyOnWriteArrayList<>();

    @PunctualListener(value = "sync", errorHandler = "swallow")
    void sync(String text) {
      throw new AssertionError("sync");
    }

    @PunctualListener(value = "async", errorHandler = "swallow")
    CompletionStage<?> async(String text) {
      return CompletableFuture.failedFuture(new AssertionError("async"));
    }

    @PunctualListener(value = "thrown", errorHandler = "swallow")
    CompletionStage<?> thrown(String text) {
      throw new AssertionError("thrown");
    }

    @PunctualListener(value = "batch", errorHandler = "swallow")
    CompletionStage<?> batch(List<String> texts) {
      return CompletableFuture.failedFuture(new AssertionError("batch"));
    }

    @Bean
    PunctualListenerErrorHandler swallow() {
      return (deliveries, failure) -> handled.add(failure);
    }
  }

  @Test
  void error_reachesTheErrorHandler_inEachFormOfAMethod() {
    Errors listener = start(Errors.class);
    List<String> queues = List.of("sync", "async", "thrown", "batch");
    queues.forEach(queue -> schedule(queue, "x"));
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(listener.handled)
                    .hasOnlyElementsOfType(AssertionError.class)
                    .extracting(Throwable::getMessage)
                    .containsExactlyInAnyOrderElementsOf(queues));
  }

  static class Failing extends Received {
    final List<Throwable> handled = new CopyOnWriteArrayList<>();

    @PunctualListener(value = "fatal", noRetryFor = IllegalArgumentException.class)
    void fatal(Order order) {
      throw new IllegalArgumentException("bad");
    }

    @PunctualListener(value = "policy", retry = "immediate", maxAttempts = "3")
    void policy(Delivery<Order> delivery) {
      add(delivery.attempt());
      throw new IllegalStateException("again");
    }

    @PunctualListener(value = "handled", errorHandler = "swallow")
    void handled(Order order) {
      throw new IllegalStateException("swallowed");
    }

    @PunctualListener(value = "handledAsync", errorHandler = "swallow")
    CompletionStage<?> handledAsync(Order order) {
      return CompletableFuture.failedFuture(new IllegalStateException("swallowed"));
    }

    @Bean
    static RetryPolicy immediate() {
      return RetryPolicy.fixed(Duration.ZERO);
    }

    @Bean
    PunctualListenerErrorHandler swallow() {
      return (deliveries, failure) -> handled.add(failure);
    }
  }

  @Test
  void failures_followTheAttributes() throws Exception {
    Failing listener = start(Failing.class);
    template().schedule("fatal", order("1"));
    dead("fatal");
    template().schedule("policy", order("1"));
    assertThat(List.of(listener.next(), listener.next(), listener.next())).containsExactly(1, 2, 3);
    dead("policy");
    template().schedule("handled", order("1"));
    template().schedule("handledAsync", order("1"));
    await().atMost(Duration.ofMinutes(1)).until(() -> listener.handled.size() == 2);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> count("handled") + count("handledAsync") == 0);
  }

  static class Dying extends Received {
    @PunctualListener(value = "orders", maxAttempts = "2", retry = "atOnce", deadHandler = "refund")
    void pay(Order order) {
      throw new IllegalStateException("no money");
    }

    @PunctualListener(value = "batches", maxAttempts = "1", deadHandler = "refund")
    void payAll(List<Order> orders) {
      throw new IllegalStateException("no money");
    }

    @Bean
    static RetryPolicy atOnce() {
      return RetryPolicy.fixed(Duration.ZERO);
    }

    @Bean
    DeadHandler<Order> refund() {
      return (delivery, reason, failure) ->
          add(delivery.payload().id() + " " + reason + " " + failure.getMessage());
    }
  }

  @Test
  void deadHandler_receivesTheMessageBeforeItIsBuried() throws Exception {
    Dying listener = start(Dying.class);
    template().schedule("orders", order("1"));
    assertThat(listener.next()).isEqualTo("1 FAILED no money");
    dead("orders");
    template().schedule("batches", order("2"));
    assertThat(listener.next()).isEqualTo("2 FAILED no money");
    dead("batches", "2");
    assertThat(listener.values).isEmpty();
  }

  static class Stuck {
    final CountDownLatch called = new CountDownLatch(2);
    final List<Throwable> handled = new CopyOnWriteArrayList<>();

    @PunctualListener(value = "sync", id = "sync", errorHandler = "swallow")
    void sync(String text) throws InterruptedException {
      called.countDown();
      new CountDownLatch(1).await();
    }

    @PunctualListener(value = "batch", id = "batch", errorHandler = "swallow")
    void batch(List<String> texts) throws InterruptedException {
      called.countDown();
      new CountDownLatch(1).await();
    }

    @Bean
    PunctualListenerErrorHandler swallow() {
      return (deliveries, failure) -> handled.add(failure);
    }
  }

  @Test
  void interruptOfTheShutdown_swallowedByTheErrorHandler_messageIsNotLost() throws Exception {
    Stuck listener = start(Stuck.class);
    List<String> queues = List.of("sync", "batch");
    queues.forEach(queue -> schedule(queue, "x"));
    assertThat(listener.called.await(60, TimeUnit.SECONDS)).isTrue();
    queues.forEach(id -> registry().find(id).orElseThrow().stop(Duration.ofMillis(1)));
    assertThat(listener.handled).hasSize(2).hasOnlyElementsOfType(InterruptedException.class);
    assertThat(queues).allSatisfy(queue -> assertThat(count(queue)).isEqualTo(1));
  }
}
