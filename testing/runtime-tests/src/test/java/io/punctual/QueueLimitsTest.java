package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.punctual.spi.LimitShare;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.Random;
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
  void shares_addUpToTheLimitsAtMost() {
    Random random = new Random(5);
    for (int run = 0; run < 10_000; run++) {
      int partitions = 1 + random.nextInt(9);
      int concurrency = 1 + random.nextInt(run % 2 == 0 ? 30 : QueueLimits.MAX_CONCURRENCY);
      QueueLimits limits =
          QueueLimits.none()
              .rate(1 + random.nextInt(1000), Duration.ofSeconds(1), 1 + random.nextInt(50))
              .concurrency(concurrency);
      long units = LimitShare.UNITS * partitions;
      long places = 0;
      double tokens = 0;
      for (int index = 0; index < partitions; index++) {
        long part = index == partitions - 1 ? units : random.nextLong(units + 1);
        units -= part;
        LimitShare share = LimitShare.of(limits, part, part, partitions);
        places += share.concurrency();
        tokens += share.tokens() / share.perMicros();
      }
      assertThat(places).isLessThanOrEqualTo(concurrency);
      assertThat(tokens).isCloseTo(limits.rate() / 1e6, offset(1e-12));
    }
  }

  @Test
  void unitsOfPlaces_placesOfAllPartitions_fitIntoTheUnits() {
    Random random = new Random(6);
    for (int run = 0; run < 10_000; run++) {
      int partitions = 1 + random.nextInt(9);
      int concurrency = 1 + random.nextInt(run % 2 == 0 ? 30 : QueueLimits.MAX_CONCURRENCY);
      QueueLimits limits = QueueLimits.none().concurrency(concurrency);
      long left = LimitShare.UNITS * partitions;
      int places = concurrency;
      for (int index = 0; index < partitions; index++) {
        int part = index == partitions - 1 ? places : random.nextInt(places + 1);
        places -= part;
        long units = LimitShare.unitsOfPlaces(part, concurrency, partitions);
        left -= units;
        assertThat(LimitShare.of(limits, 0, units, partitions).concurrency()).isEqualTo(part);
      }
      assertThat(left).isNotNegative();
    }
  }

  @Test
  void settle_shareChanges_keepsTheTokensThatFit() {
    QueueLimits limits = QueueLimits.none().rate(100, Duration.ofSeconds(1), 20);
    long now = 1_800_000_000_000_000L;
    LimitShare half = LimitShare.of(limits, 2);
    LimitShare whole = LimitShare.of(limits, 2 * LimitShare.UNITS, 0, 2);
    LimitShare nothing = LimitShare.of(limits, 0, 0, 2);
    assertThat(half.available(0, now)).isEqualTo(10);
    assertThat(whole.available(whole.settle(half, 0, now), now)).isEqualTo(10);
    assertThat(half.available(half.settle(whole, 0, now), now)).isEqualTo(10);
    assertThat(nothing.available(nothing.settle(half, 0, now), now)).isZero();
    assertThat(nothing.untilToken(0, now)).isEqualTo(Reply.NONE);
    assertThat(whole.available(whole.settle(nothing, 0, now), now)).isZero();
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
    LimitShare share = LimitShare.of(largest, 1);
    long now = 1_800_000_000_000_000L;
    assertThat(share.available(0, now)).isEqualTo(QueueLimits.MAX_BURST);
    assertThat(share.take(1000, 0, now) - now).isEqualTo(86_400_000_000L * 1000);
    LimitShare many = LimitShare.of(largest, 256);
    assertThat(many.available(0, now)).isEqualTo(390);
  }
}
