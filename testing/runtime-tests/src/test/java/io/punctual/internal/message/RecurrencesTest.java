package io.punctual.internal.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Recurrence;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecurrencesTest {
  private final Recurrences recurrences = new Recurrences();

  private Recurrence of(int millis) {
    return recurrences.of(
        RecurrenceHeaders.with(Map.of(), Recurrence.every(Duration.ofMillis(millis)).text()));
  }

  @Test
  void of_moreTextsThanKept_keepsThoseThatAreUsed() {
    Recurrence used = of(1);
    for (int i = 2; i < 30_000; i++) {
      Recurrence unused = of(i);
      assertThat(unused.expression()).isNotEmpty();
      assertThat(of(1)).isSameAs(used);
    }
  }

  @Test
  void of_fewTexts_keepsAll() {
    Recurrence first = of(1);
    for (int i = 2; i < 5_000; i++) {
      assertThat(of(i)).isSameAs(of(i));
    }
    assertThat(of(1)).isSameAs(first);
  }
}
