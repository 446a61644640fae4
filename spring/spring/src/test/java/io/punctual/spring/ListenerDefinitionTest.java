package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Delivery;
import io.punctual.spring.ContextFixture.Order;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import kotlin.Metadata;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/**
 * Tests that a wrong listener fails when the context starts, with a message that names the remedy.
 */
class ListenerDefinitionTest {
  static class Reply {
    @PunctualListener("orders")
    String handle(String order) {
      return order;
    }
  }

  static class TwoPayloads {
    @PunctualListener("orders")
    void handle(String order, Integer amount) {}
  }

  static class OtherPayload {
    @PunctualListener("orders")
    void handle(String order, Delivery<Integer> delivery) {}
  }

  static class BatchWithHeader {
    @PunctualListener("orders")
    void handle(List<String> orders, @Header("tenant") String tenant) {}
  }

  static class Expression {
    @PunctualListener("orders")
    void handle(@Payload("name") String order) {}
  }

  static class NoQueue {
    @PunctualListener
    void handle(String order) {}
  }

  static class NoSuchBean {
    @PunctualListener(value = "orders", retry = "missing")
    void handle(String order) {}
  }

  static class NoNumber {
    @PunctualListener(value = "orders", concurrency = "many")
    void handle(String order) {}
  }

  static class OutOfRange {
    @PunctualListener(value = "orders", concurrency = "0")
    void handle(String order) {}
  }

  static class PrefetchOutOfRange {
    @PunctualListener(value = "orders", prefetch = "10001")
    void handle(String order) {}
  }

  static class NoDuration {
    @PunctualListener(value = "orders", lease = "long")
    void handle(String order) {}
  }

  static class SingleWithBatchSize {
    @PunctualListener(value = "orders", batchSize = "3")
    void handle(String order) {}
  }

  static class SameId {
    @PunctualListener(value = "orders", id = "same")
    void handle(String order) {}

    @PunctualListener(value = "more", id = "same")
    void more(String order) {}
  }

  static class NoProperty {
    @PunctualListener("${missing.queue}")
    void handle(String order) {}
  }

  static class AsyncWithoutResult {
    @Async
    @PunctualListener("orders")
    public void handle(String order) {}
  }

  @Async
  static class AsyncClass {
    @PunctualListener("orders")
    public CompletionStage<?> handle(String order) {
      return CompletableFuture.completedFuture(order);
    }
  }

  static class NoValidator {
    @PunctualListener("orders")
    void handle(@Validated Order order) {}
  }

  static class OtherValidator {
    @PunctualListener("orders")
    void handle(@Validated Order order) {}

    @Bean
    static Validator validator() {
      return new Validator() {
        @Override
        public boolean supports(Class<?> type) {
          return type == Integer.class;
        }

        @Override
        public void validate(Object target, Errors errors) {}
      };
    }
  }

  static class ValidDelivery {
    @PunctualListener("orders")
    void handle(@Validated Delivery<Order> delivery) {}
  }

  static class ValidMessage {
    @PunctualListener("orders")
    void handle(@Validated Message<Order> message) {}
  }

  static class ValidBatch {
    @PunctualListener("orders")
    void handle(@Validated List<Order> orders) {}
  }

  static class ValidHeader {
    @PunctualListener("orders")
    void handle(Order order, @Validated @Header("tenant") String tenant) {}
  }

  static class OtherMessage {
    @PunctualListener("orders")
    void handle(GenericMessage<Order> message) {}
  }

  static class Accessor {
    @PunctualListener("orders")
    void handle(Order order, MessageHeaderAccessor headers) {}
  }

  static class OtherMap {
    @PunctualListener("orders")
    @SuppressWarnings("NonApiType") // The listener must refuse this type.
    void handle(Order order, @Headers HashMap<String, Object> headers) {}
  }

  static class OptionalPrimitive {
    @PunctualListener("orders")
    void handle(Order order, @Header(name = "size", required = false) int size) {}
  }

  static class Untyped {
    @PunctualListener("orders")
    void handle(Object order) {}
  }

  static class UntypedBatch {
    @PunctualListener("orders")
    void handle(List<Object> orders) {}
  }

  @Metadata
  static class Suspending {
    @PunctualListener("orders")
    public Object handle(String order, Continuation<String> rest) {
      return order;
    }
  }

  static List<Arguments> wrong() {
    return List.of(
        Arguments.of(AsyncWithoutResult.class, "has @Async", "attribute executor"),
        Arguments.of(AsyncClass.class, "has @Async", "return a CompletableFuture"),
        Arguments.of(NoValidator.class, "no validator for the payload", "Define one bean"),
        Arguments.of(OtherValidator.class, "no validator for the payload", "that supports it"),
        Arguments.of(ValidDelivery.class, "can't be validated", "the payload's type"),
        Arguments.of(ValidMessage.class, "can't be validated", "the payload's type"),
        Arguments.of(ValidBatch.class, "batch can't be validated", "in the method"),
        Arguments.of(ValidHeader.class, "number 2 can't be validated", "the payload's type"),
        Arguments.of(OtherMessage.class, "is a GenericMessage", "Message<T>"),
        Arguments.of(Accessor.class, "can't have the headers", "Map<String, Object>"),
        Arguments.of(OtherMap.class, "can't have the headers", "Map<String, Object>"),
        Arguments.of(OptionalPrimitive.class, "but a primitive value", "defaultValue"),
        Arguments.of(Untyped.class, "no type that a codec can decode", "attribute codec"),
        Arguments.of(UntypedBatch.class, "no type that a codec can decode", "attribute codec"),
        Arguments.of(Suspending.class, "suspend function", "kotlinx-coroutines-reactor"),
        Arguments.of(Reply.class, "returns java.lang.String", "CompletionStage"),
        Arguments.of(TwoPayloads.class, "payloads", "@Header"),
        Arguments.of(OtherPayload.class, "has the payload java.lang.Integer", "same type"),
        Arguments.of(BatchWithHeader.class, "further parameters", "Remove them"),
        Arguments.of(Expression.class, "expression", "Remove the expression"),
        Arguments.of(NoQueue.class, "names no queue", "value"),
        Arguments.of(NoSuchBean.class, "attribute retry names 'missing'", "Define a bean"),
        Arguments.of(NoNumber.class, "concurrency is 'many'", "a number"),
        Arguments.of(OutOfRange.class, "between 1 and 100000", "attribute"),
        Arguments.of(PrefetchOutOfRange.class, "prefetch must be between", "attribute"),
        Arguments.of(NoDuration.class, "lease is 'long'", "30s"),
        Arguments.of(SingleWithBatchSize.class, "batchSize", "List<T>"),
        Arguments.of(SameId.class, "'same' belongs to SameId.", "attribute id"),
        Arguments.of(NoProperty.class, "is no queue's name", "Define the property"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void wrongListener_failsAtStart(Class<?> listener, String problem, String remedy) {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.register(ContextFixture.Base.class, listener);
      assertThatThrownBy(context::refresh)
          .isInstanceOf(ListenerDefinitionException.class)
          .hasMessageContaining("@PunctualListener on " + listener.getSimpleName() + ".")
          .hasMessageContaining(problem)
          .hasMessageContaining(remedy);
    }
  }
}
