package io.punctual.spring.boot.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Message;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.boot.test.PunctualTest;
import io.punctual.spring.boot.test.PunctualTester;
import io.punctual.spring.boot.test.shop.Timeouts.Order;
import io.punctual.spring.boot.test.shop.Timeouts.Refund;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** Tests listeners alone, on a clock that a test advances by minutes in one step. */
@PunctualTest
class SliceTest {
  @Autowired private PunctualTester tester;
  @Autowired private PunctualTemplate template;
  @Autowired private Timeouts timeouts;
  @Autowired private ApplicationContext context;

  @BeforeEach
  void forget() {
    timeouts.closed.clear();
  }

  @Test
  void advance_runsTheListenerWhenItIsDue() {
    template.schedule("timeouts", Message.of(new Order("1")).id("1").dueIn(Duration.ofMinutes(30)));
    tester.advance(Duration.ofMinutes(30).minusMillis(1));
    assertThat(timeouts.closed).isEmpty();
    assertThat(tester.scheduled("timeouts", Order.class))
        .singleElement()
        .extracting(message -> message.payload().id())
        .isEqualTo("1");
    tester.advance(Duration.ofMillis(1));
    assertThat(timeouts.closed).containsExactly("1");
    assertThat(tester.scheduled("timeouts", Order.class)).isEmpty();
  }

  @Test
  void advance_runsMessagesOfListenersAndRetries() {
    template.schedule("timeouts", new Order("chain"), Duration.ofMinutes(1));
    template.schedule("timeouts", Message.of(new Order("poison")).id("poison"));
    tester.advance(Duration.ofHours(1));
    assertThat(timeouts.closed).containsExactly("chain", "chained");
    assertThat(tester.deadLetters("timeouts", Order.class))
        .singleElement()
        .extracting(message -> message.attempts())
        .isEqualTo(3);
  }

  /** A step of the wall clock makes the message due, but does not run the timer of its worker. */
  @Test
  void awaitQuiet_dueMessageWithoutTimer_isClaimed() {
    template.schedule("timeouts", new Order("1"), Duration.ofMinutes(30));
    tester.clock().step(Duration.ofMinutes(30));
    tester.awaitQuiet();
    assertThat(timeouts.closed).containsExactly("1");
  }

  @Test
  void slice_validatesPayloads() {
    template.schedule("refunds", new Refund(5), Duration.ZERO);
    template.schedule("refunds", new Refund(-1), Duration.ZERO);
    tester.awaitQuiet();
    assertThat(timeouts.closed).containsExactly("refund of 5");
    assertThat(tester.deadLetters("refunds", Refund.class)).hasSize(1);
  }

  @Test
  void slice_hasNoOtherComponents() {
    assertThat(context.getBeansOfType(Ledger.class)).isEmpty();
  }
}
