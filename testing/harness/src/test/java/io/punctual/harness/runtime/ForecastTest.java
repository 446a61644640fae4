package io.punctual.harness.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Forecast;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forecasts whose range begins now. */
class ForecastTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void clocksDiffer_theRangeBeginsAtTheStoresTime(int partitions) {
    Instant storeNow = Instant.now().plus(Duration.ofDays(100));
    MemoryStore store = MemoryStore.builder().clock(() -> storeNow).partitions(partitions).build();
    try (Punctual punctual = Punctual.builder().store(store).timer(new ManualClock()).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule("due already", storeNow.minusSeconds(1));
      queue.schedule("a", storeNow.plus(Duration.ofMinutes(20)));
      queue.schedule("b", storeNow.plus(Duration.ofMinutes(40)));
      queue.schedule("c", storeNow.plus(Duration.ofMinutes(50)));
      queue.schedule("later", storeNow.plus(Duration.ofMinutes(70)));
      Forecast forecast = queue.forecast(HOUR, 2);
      assertThat(forecast.counts()).containsExactly(1L, 2L);
      assertThat(forecast.from().toEpochMilli()).isEqualTo(storeNow.toEpochMilli());
      assertThat(forecast.width()).isEqualTo(Duration.ofMinutes(30));
    }
  }

  @Test
  void wrongRange_isRefused() {
    try (ManualWorld world = new ManualWorld()) {
      assertThatThrownBy(() -> world.queue.forecast(Duration.ZERO, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("within must be longer than zero, but was PT0S");
      assertThatThrownBy(() -> world.queue.forecast(HOUR, 0))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
