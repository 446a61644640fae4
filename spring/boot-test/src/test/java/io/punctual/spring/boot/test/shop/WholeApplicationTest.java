package io.punctual.spring.boot.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.boot.test.AutoConfigurePunctualTest;
import io.punctual.spring.boot.test.PunctualTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Tests the whole application. Its configured store does not exist. */
@SpringBootTest(properties = "punctual.url=redis://localhost:1")
@AutoConfigurePunctualTest
class WholeApplicationTest {
  @Autowired private PunctualTester tester;
  @Autowired private PunctualTemplate template;
  @Autowired private Timeouts timeouts;
  @Autowired private Ledger ledger;
  @Autowired private Punctual punctual;

  @Test
  void store_isInMemory() {
    assertThat(punctual.store()).isEqualTo("memory:");
    assertThat(ledger).isNotNull();
    template.schedule("timeouts", new Timeouts.Order("1"), Duration.ofDays(3));
    tester.advance(Duration.ofDays(3));
    assertThat(timeouts.closed).containsExactly("1");
  }
}
