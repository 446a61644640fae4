package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Message;
import io.punctual.RetryPolicy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.validation.Errors;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.Validated;

/** Tests payloads and headers that Spring's conversions treat as special cases. */
class ListenerPayloadTest extends ContextFixture {
  static class Empty extends Received {
    @PunctualListener("text")
    void text(String text) {
      add("[" + text + "]");
    }

    @PunctualListener("bytes")
    void bytes(byte[] bytes) {
      add(bytes.length);
    }

    @PunctualListener("message")
    void message(org.springframework.messaging.Message<String> message) {
      add("[" + message.getPayload() + "]");
    }
  }

  @Test
  void emptyPayload_reachesTheMethod() throws Exception {
    Empty listener = start(Empty.class);
    schedule("text", "");
    assertThat(listener.next()).isEqualTo("[]");
    template().schedule("text", Message.of(" ").id("2"));
    assertThat(listener.next()).isEqualTo("[ ]");
    schedule("bytes", new byte[0]);
    assertThat(listener.next()).isEqualTo(0);
    schedule("message", "");
    assertThat(listener.next()).isEqualTo("[]");
  }

  static class Forever {
    @Bean
    static RetryPolicy forever() {
      return RetryPolicy.fixed(Duration.ZERO).maxAttempts(1000).forFailure(e -> true, slowly());
    }

    private static RetryPolicy slowly() {
      return RetryPolicy.fixed(Duration.ofHours(1)).maxAttempts(1000);
    }
  }

  static class Headers extends Received {
    @PunctualListener(value = "missing", retry = "forever")
    void missing(@Header("tenant") String tenant) {}

    @PunctualListener(value = "number", retry = "forever")
    void number(@Header("secret") int number) {}
  }

  @Test
  void missingHeader_isBuriedAtOnce_alsoAgainstARuleOfThePolicy() {
    start(Headers.class, Forever.class);
    schedule("missing", "x");
    assertThat(dead("missing").reason().orElseThrow()).contains("tenant");
  }

  @Test
  void headerOfAnotherType_isBuriedAtOnce_withoutItsValueInTheFailure() {
    start(Headers.class, Forever.class);
    template().schedule("number", Message.of("x").id("1").header("secret", "hunter2"));
    assertThat(dead("number").reason().orElseThrow())
        .contains("Headers.number(int)")
        .doesNotContain("hunter2");
  }

  static class Checked extends Received {
    @PunctualListener("orders")
    void handle(@Validated Order order) {}

    @Bean
    static Validator validator() {
      return new Validator() {
        @Override
        public boolean supports(Class<?> type) {
          return type == Order.class;
        }

        @Override
        public void validate(Object target, Errors errors) {
          errors.rejectValue("id", "Pattern", "an id has digits");
          errors.reject("whole");
        }
      };
    }
  }

  @Test
  void invalidPayload_namesFieldsAndRules_butNotTheRejectedValues() {
    start(Checked.class);
    schedule("orders", new Order("4111-1111", 5));
    assertThat(dead("orders").reason().orElseThrow())
        .contains("id (Pattern)", "whole")
        .doesNotContain("4111");
  }

  static class Valid extends Received {
    @PunctualListener("orders")
    void handle(@Validated Order order) {
      add(order);
    }

    @Bean
    static Validator validator() {
      return new Validator() {
        @Override
        public boolean supports(Class<?> type) {
          return type == Order.class;
        }

        @Override
        public void validate(Object target, Errors errors) {
          if (((Order) target).amount() < 0) {
            errors.reject("negative", "an amount is positive");
          }
        }
      };
    }
  }

  @Test
  void invalidPayload_isBuriedWithoutRetry() throws Exception {
    Valid listener = start(Valid.class);
    template().schedule("orders", Message.of(new Order("bad", -1)).id("bad"));
    template().schedule("orders", order("good"));
    assertThat(listener.next()).isEqualTo(new Order("good", 5));
    dead("orders", "bad");
  }
}
