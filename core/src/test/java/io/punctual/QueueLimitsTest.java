package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.spi.LimitShare;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QueueLimitsTest {
  private static final QueueLimits BOTH =
      QueueLimits.none().rate(100, Duration.ofSeconds(1), 20).concurrency(10);

  @Test
  void toString_namesTheLimits() {
    assertThat(QueueLimits.none()).hasToString("none");
    assertThat(BOTH).hasToString("rate 100 per PT1S, burst 20, concurrency 10");
    assertThat(QueueLimits.none().concurrency(1)).hasToString("concurrency 1");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 1000, 1",
    "1000001, 1000, 1",
    "1, 0, 1",
    "1, 86400001, 1",
    "1, 1000, 0",
    "1, 1000, 100001",
    "-1, 1000, 1"
  })
  void rate_outOfRange_isRefused(int rate, long perMillis, int burst) {
    assertThatThrownBy(() -> QueueLimits.none().rate(rate, Duration.ofMillis(perMillis), burst))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("but");
  }

  @Test
  void concurrency_zero_isRefusedWithTheRemedy() {
    assertThatThrownBy(() -> QueueLimits.none().concurrency(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("QueueLimits.none()");
  }

  @Test
  void text_isReadAgain() {
    assertThat(LimitShare.text(BOTH)).isEqualTo("100 1000000 20 10");
    assertThat(LimitShare.parse(LimitShare.text(BOTH))).isEqualTo(BOTH);
    assertThat(LimitShare.parse(null)).isEqualTo(QueueLimits.none());
  }

  @Test
  void shares_addUpToTheLimits() {
    QueueLimits limits = QueueLimits.none().rate(7, Duration.ofSeconds(1), 11).concurrency(9);
    int burst = 0;
    int concurrency = 0;
    for (int index = 0; index < 4; index++) {
      LimitShare share = LimitShare.of(limits, index, 4);
      burst += share.burst();
      concurrency += share.concurrency();
      assertThat(share.tokens()).isEqualTo(7);
      assertThat(share.perMicros()).isEqualTo(4_000_000);
    }
    assertThat(burst).isEqualTo(11);
    assertThat(concurrency).isEqualTo(9);
  }

  @Test
  void check_fewerThanPartitions_isRefusedWithTheRemedy() {
    LimitShare.check(QueueLimits.none().concurrency(4), 4, "orders");
    assertThatThrownBy(() -> LimitShare.check(QueueLimits.none().concurrency(3), 4, "orders"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Queue 'orders' has 4 partitions")
        .hasMessageContaining("a concurrency of 4 or more");
    assertThatThrownBy(
            () ->
                LimitShare.check(QueueLimits.none().rate(9, Duration.ofSeconds(1), 3), 4, "orders"))
        .hasMessageContaining("a burst of 4 or more");
  }

  @Test
  void share_largestLimits_doesNotOverflow() {
    QueueLimits largest = QueueLimits.none().rate(1, QueueLimits.MAX_PER, QueueLimits.MAX_BURST);
    LimitShare share = LimitShare.of(largest, 0, 1);
    long now = 1_800_000_000_000_000L;
    assertThat(share.available(0, now)).isEqualTo(QueueLimits.MAX_BURST);
    assertThat(share.take(1000, 0, now) - now).isEqualTo(86_400_000_000L * 1000);
    LimitShare many = LimitShare.of(largest, 0, 256);
    assertThat(many.available(0, now)).isEqualTo(391);
  }
}
