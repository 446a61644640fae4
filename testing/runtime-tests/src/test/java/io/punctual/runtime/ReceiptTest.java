package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Receipt;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptTest {
  @ParameterizedTest
  @ValueSource(strings = {"order-42", "a:b", ":", "zwölf"})
  void parse_textOfADelivery_settlesIt(String id) {
    try (ManualWorld world = new ManualWorld()) {
      world.queue.schedule(Message.of("m").id(id));
      Delivery<String> delivery =
          world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
      Receipt parsed = Receipt.parse(delivery.receipt().text());
      assertThat(parsed).isEqualTo(delivery.receipt());
      assertThat(world.queue.settle(List.of(new Settlement.Ack(parsed))))
          .containsExactly(SettleOutcome.DONE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", ":a", "1.1", "1.1:"})
  void parse_otherText_isRefused(String text) {
    assertThatThrownBy(() -> Receipt.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void parse_textWithoutToken_errorHasTheTextAndTheRemedy() {
    assertThatThrownBy(() -> Receipt.parse("order-42"))
        .hasMessage("'order-42' is not a receipt; pass the result of Receipt.text");
  }

  @Test
  void receipt_ofAnExtendedDelivery_stays() {
    try (ManualWorld world = new ManualWorld()) {
      world.queue.schedule(Message.of("m").id("a"));
      Delivery<String> delivery =
          world.queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0);
      Receipt receipt = delivery.receipt();
      delivery.extend(Duration.ofMinutes(2));
      assertThat(delivery.receipt()).isEqualTo(receipt);
    }
  }

  /** Only one message at a time whose attempts had no result is with the consumers of a client. */
  @Test
  void suspectSettledByReceipt_theNextSuspectDoesNotWaitForItsLease() {
    try (ManualWorld world = new ManualWorld()) {
      List.of("a", "b").forEach(id -> world.queue.schedule(Message.of("m").id(id)));
      Duration second = Duration.ofSeconds(1);
      for (int attempt = 1; attempt <= 2; attempt++) {
        assertThat(world.queue.claim(2, ClaimOptions.DEFAULT.lease(second))).hasSize(2);
        world.advance(second);
      }
      ClaimOptions hour = ClaimOptions.DEFAULT.lease(Duration.ofHours(1));
      Delivery<String> first = world.queue.claim(2, hour).get(0);
      world.advance(second);
      assertThat(world.queue.claim(1, hour)).isEmpty();
      world.queue.settle(List.of(new Settlement.Ack(first.receipt())));
      world.advance(Duration.ofSeconds(3));
      assertThat(world.queue.claim(1, hour)).hasSize(1);
    }
  }
}
