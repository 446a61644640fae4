package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.Message;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import reactor.core.publisher.Mono;

/**
 * Tests the arguments, return types and attributes of listeners, each in a context with the memory
 * store.
 */
class ListenerTest extends ContextFixture {
  static class Payloads extends Received {
    @PunctualListener("orders")
    void handle(Order order) {
      add(order);
    }
  }

  @Test
  void payload_isDecodedAsTheParameterType() throws Exception {
    Payloads listener = start(Payloads.class);
    template().schedule("orders", order("1"));
    assertThat(listener.next()).isEqualTo(new Order("1", 5));
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(
                        context.getBean(PunctualQueues.class).get("orders", Order.class).find("1"))
                    .isEmpty());
  }

  static class Everything extends Received {
    @PunctualListener("orders")
    void handle(
        @Payload Order order,
        Delivery<Order> delivery,
        org.springframework.messaging.Message<Order> message,
        @Header("tenant") String tenant,
        @Header(PunctualHeaders.ATTEMPT) int attempt,
        @Header(PunctualHeaders.DUE_AT) Instant dueAt,
        @Headers Map<String, Object> headers) {
      assertThat(message.getPayload()).isSameAs(delivery.payload()).isSameAs(order);
      assertThat(headers).containsEntry("tenant", "a").containsKey(PunctualHeaders.LATENESS);
      assertThat(dueAt).isEqualTo(delivery.dueAt());
      add(tenant + attempt + headers.get(PunctualHeaders.ID) + headers.get(PunctualHeaders.QUEUE));
    }
  }

  @Test
  void allArguments_ofOneMethod() throws Exception {
    Everything listener = start(Everything.class);
    template().schedule("orders", order("7"));
    assertThat(listener.next()).isEqualTo("a17orders");
  }

  static class Text extends Received {
    @PunctualListener("text")
    void text(String text) {
      add(text);
    }

    @PunctualListener("bytes")
    void bytes(byte[] bytes) {
      add(bytes.length);
    }

    @PunctualListener("none")
    void none() {
      add("called");
    }

    @PunctualListener("generic")
    void generic(Delivery<List<Order>> delivery) {
      add(delivery.payload().get(0));
    }
  }

  @Test
  void textBytesGenericTypesAndNoArgument() throws Exception {
    Text listener = start(Text.class);
    template().schedule("text", "hello", Duration.ZERO);
    assertThat(listener.next()).isEqualTo("hello");
    template().schedule("bytes", new byte[3], Duration.ZERO);
    assertThat(listener.next()).isEqualTo(3);
    template().schedule("none", "x", Instant.now());
    assertThat(listener.next()).isEqualTo("called");
    template().schedule("generic", List.of(new Order("g", 1)), Duration.ZERO);
    assertThat(listener.next()).isEqualTo(new Order("g", 1));
  }

  static class Batches extends Received {
    @PunctualListener(value = "orders", batchSize = "2", concurrency = "1", autoStartup = "false")
    void handle(List<Order> orders) {
      add(orders);
    }

    @PunctualListener(value = "deliveries", id = "deliveries", autoStartup = "false")
    CompletionStage<?> handleAll(List<Delivery<Order>> deliveries) {
      deliveries.get(0).ack();
      add(deliveries);
      return CompletableFuture.completedFuture("done");
    }
  }

  @Test
  void batch_hasAtMostBatchSizeMessages() throws Exception {
    Batches listener = start(Batches.class);
    for (String id : List.of("1", "2", "3")) {
      template().schedule("orders", order(id));
      template().schedule("deliveries", order(id));
    }
    // A message can become due a millisecond after its schedule.
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> counts("orders").ready() == 3 && counts("deliveries").ready() == 3);
    registry().find("listenerTest.Batches.handle").orElseThrow().start();
    assertThat((List<?>) listener.next()).hasSize(2);
    assertThat((List<?>) listener.next()).hasSize(1);
    registry().find("deliveries").orElseThrow().start();
    assertThat((List<?>) listener.next()).hasSize(3);
    await().atMost(Duration.ofMinutes(1)).until(() -> count("deliveries") == 0);
  }

  static class Returns extends Received {
    final CompletableFuture<String> stage = new CompletableFuture<>();

    @PunctualListener("stage")
    CompletableFuture<String> stage(Order order) {
      add("stage");
      return stage;
    }

    @PunctualListener(value = "mono", maxAttempts = "1")
    Mono<Void> mono(Order order) {
      return order.amount() > 0
          ? Mono.<Void>fromRunnable(() -> add("mono"))
          : Mono.error(new IllegalStateException("no amount"));
    }
  }

  @Test
  void stage_isAckedWhenItCompletes() throws Exception {
    Returns listener = start(Returns.class);
    template().schedule("stage", order("1"));
    listener.next();
    assertThat(count("stage")).isEqualTo(1);
    listener.stage.complete("done");
    await().atMost(Duration.ofMinutes(1)).until(() -> count("stage") == 0);
  }

  @Test
  void mono_isSubscribedAndItsFailureIsRetriedByThePolicy() throws Exception {
    Returns listener = start(Returns.class);
    template().schedule("mono", order("1"));
    assertThat(listener.next()).isEqualTo("mono");
    template().schedule("mono", Message.of(new Order("2", 0)).id("2"));
    dead("mono", "2");
  }

  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @PunctualListener(concurrency = "2")
  @interface OrderListener {
    @AliasFor(annotation = PunctualListener.class, attribute = "queues")
    String[] queue();
  }

  static class Composed extends Received {
    @OrderListener(queue = "orders")
    @PunctualListener(queues = "more")
    void handle(Order order) {
      add(order.id());
    }
  }

  @Test
  void metaAnnotation_andRepeatedAnnotation_eachMakeAListener() throws Exception {
    Composed listener = start(Composed.class);
    template().schedule("orders", order("1"));
    assertThat(listener.next()).isEqualTo("1");
    template().schedule("more", order("2"));
    assertThat(listener.next()).isEqualTo("2");
    assertThat(registry().listeners()).hasSize(2);
  }

  static class Placeholders extends Received {
    @PunctualListener(
        value = "${shop.queues}",
        id = "#{'lis' + 'tener'}",
        concurrency = "${shop.concurrency:3}",
        lease = "10s",
        executor = "#{@threads}")
    void handle(Order order) {
      add(Thread.currentThread().getName());
    }

    @Bean
    static Executor threads() {
      return task -> new Thread(task, "own-thread").start();
    }
  }

  @Test
  void placeholdersAndExpressions_inAllStrings() throws Exception {
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.of("shop.queues", "a, b")));
    Placeholders listener = start(Placeholders.class);
    RegisteredListener registered = registry().find("listener").orElseThrow();
    assertThat(registered.queues()).containsExactly("a", "b");
    assertThat(registered.workers()).hasSize(2).allMatch(worker -> worker.concurrency() == 3);
    template().schedule("b", order("1"));
    assertThat(listener.next()).isEqualTo("own-thread");
  }
}
