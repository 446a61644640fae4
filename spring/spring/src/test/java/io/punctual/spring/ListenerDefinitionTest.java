package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Delivery;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;

/** Wrong listeners fail when the context starts, with a message that says what to do. */
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

  static List<Arguments> wrong() {
    return List.of(
        Arguments.of(Reply.class, "returns java.lang.String", "CompletionStage"),
        Arguments.of(TwoPayloads.class, "payloads", "@Header"),
        Arguments.of(OtherPayload.class, "has the payload java.lang.Integer", "same type"),
        Arguments.of(BatchWithHeader.class, "further parameters", "Remove them"),
        Arguments.of(Expression.class, "expression", "Remove the expression"),
        Arguments.of(NoQueue.class, "names no queue", "value"),
        Arguments.of(NoSuchBean.class, "attribute retry names 'missing'", "Define a bean"),
        Arguments.of(NoNumber.class, "concurrency is 'many'", "a number"),
        Arguments.of(OutOfRange.class, "between 1 and 100000", "attribute"),
        Arguments.of(NoDuration.class, "lease is 'long'", "30s"),
        Arguments.of(SingleWithBatchSize.class, "batchSize", "List<T>"),
        Arguments.of(SameId.class, "'same' belongs to another", "id"),
        Arguments.of(NoProperty.class, "is no queue's name", "Define the property"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void wrongListener_failsAtStart(Class<?> listener, String problem, String remedy) {
    try (var context = new AnnotationConfigApplicationContext()) {
      context.register(ListenerTest.Base.class, listener);
      assertThatThrownBy(context::refresh)
          .isInstanceOf(ListenerDefinitionException.class)
          .hasMessageContaining("@PunctualListener on " + listener.getSimpleName() + ".")
          .hasMessageContaining(problem)
          .hasMessageContaining(remedy);
    }
  }
}
