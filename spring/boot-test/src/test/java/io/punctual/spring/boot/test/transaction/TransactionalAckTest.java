package io.punctual.spring.boot.test.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spring.boot.test.AutoConfigurePunctualTest;
import io.punctual.spring.boot.test.PunctualTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Tests, on the clock of the test, a listener that acks in its own transaction. */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:transactional-ack")
@AutoConfigurePunctualTest
class TransactionalAckTest {
  @Autowired private TransactionalShop shop;
  @Autowired private PunctualTester tester;

  @Test
  void commit_changesTheRowAndAcks() {
    shop.place("1");
    tester.advance(Duration.ofMinutes(29));
    assertThat(shop.status("1")).isEqualTo("OPEN");
    tester.advance(Duration.ofMinutes(1));
    assertThat(shop.status("1")).isEqualTo("CLOSED");
    assertThat(tester.scheduled("timeouts", String.class)).noneMatch(m -> m.id().equals("1"));
    assertThat(tester.deadLetters("timeouts", String.class)).isEmpty();
  }

  @Test
  void rollbackOfTheListener_isRetried() {
    shop.place("flaky");
    tester.advance(Duration.ofMinutes(30));
    assertThat(shop.status("flaky")).isEqualTo("OPEN");
    tester.advance(Duration.ofMinutes(1));
    assertThat(shop.status("flaky")).isEqualTo("CLOSED");
    assertThat(tester.scheduled("timeouts", String.class)).noneMatch(m -> m.id().equals("flaky"));
  }

  @Test
  void rollbackOfTheProducer_schedulesNothing() {
    assertThatThrownBy(() -> shop.place("refused")).isInstanceOf(IllegalStateException.class);
    assertThat(tester.scheduled("timeouts", String.class))
        .noneMatch(message -> message.id().equals("refused"));
    assertThat(shop.status("refused")).isEqualTo("none");
  }
}
