package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.punctual.Lateness;
import io.punctual.internal.runtime.WorkerCounters;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the histogram of lateness against the sorted values. */
class LatenessTest {
  private static Lateness of(long... micros) {
    WorkerCounters counters = new WorkerCounters(0);
    Arrays.stream(micros)
        .forEach(
            each -> counters.handedOver(Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(each))));
    return counters.figures(0, 0).lateness();
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000, 30_000, 1_000_000, 100_000_000, 1_000_000_000_000L})
  void percentile_manyValues_isExactToAQuarter(long scaleMicros) {
    Random random = new Random(scaleMicros);
    long[] micros =
        random
            .doubles(5000)
            .mapToLong(each -> (long) (300 + scaleMicros * each * each * each))
            .toArray();
    Lateness lateness = of(micros);
    Arrays.sort(micros);
    assertThat(lateness.count()).isEqualTo(5000);
    assertThat(lateness.max().toNanos() / 1000).isEqualTo(micros[4999]);
    for (double percent : new double[] {0.1, 25, 50, 90, 99, 99.9, 100}) {
      double exact = micros[(int) Math.ceil(50 * percent) - 1];
      assertThat(lateness.percentile(percent).toNanos() / 1000.0)
          .as("%s %%", percent)
          .isCloseTo(exact, within(0.13 * exact));
    }
  }

  @Test
  void percentile_oneValue_isNotAboveIt() {
    assertThat(of(400_000).percentile(99)).isEqualTo(Duration.ofMillis(400));
    assertThat(of(0).percentile(50)).isZero();
    assertThat(of(-5_000_000).max()).isZero();
    assertThat(of(Long.MAX_VALUE / 1000).percentile(50)).isGreaterThan(Duration.ofDays(10_000));
  }

  @Test
  void percentile_noMessages_isZero() {
    assertThat(Lateness.NONE.percentile(99)).isZero();
    assertThat(Lateness.NONE.max()).isZero();
    assertThat(Lateness.NONE.buckets()).isEmpty();
    assertThat(Lateness.sum(List.of())).hasToString(Lateness.NONE.toString());
    for (double percent : new double[] {0, -1, 100.1, Double.NaN}) {
      assertThatThrownBy(() -> Lateness.NONE.percentile(percent))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("percentage");
    }
  }

  @Test
  void buckets_touchEachOther_andHaveEachValueOnce() {
    long[] micros = new long[60];
    for (int i = 0; i < micros.length; i++) {
      micros[i] = (1L << i) - 1;
    }
    List<Lateness.Bucket> buckets = of(micros).buckets();
    assertThat(buckets.stream().mapToLong(Lateness.Bucket::count).sum()).isEqualTo(60);
    for (Lateness.Bucket bucket : buckets) {
      assertThat(of(bucket.from().toNanos() / 1000).buckets().get(0).from())
          .isEqualTo(bucket.from());
      assertThat(bucket.to()).isGreaterThan(bucket.from());
      if (bucket.from().toMillis() > 1 && bucket.to().toDays() < 100) {
        assertThat(bucket.to().toNanos()).isLessThanOrEqualTo(bucket.from().toNanos() * 5 / 4);
      }
    }
  }

  @Test
  void sum_ofParts_countsAllMessages() {
    Lateness sum = Lateness.sum(List.of(of(1_000, 2_000), of(2_000, 900_000), Lateness.NONE));
    assertThat(sum.count()).isEqualTo(4);
    assertThat(sum.max()).isEqualTo(Duration.ofMillis(900));
    assertThat(sum.buckets()).extracting(Lateness.Bucket::count).containsExactly(1L, 2L, 1L);
  }
}
