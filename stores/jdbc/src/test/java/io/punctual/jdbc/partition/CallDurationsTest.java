package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CallDurationsTest {
  private final CallDurations durations = new CallDurations();

  private long patienceMillis() {
    return TimeUnit.NANOSECONDS.toMillis(durations.patienceNanos());
  }

  private void add(long millis) {
    durations.add(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void patience_fastCalls_isAQuarterOfASecond() {
    assertThat(patienceMillis()).isEqualTo(250);
    add(10);
    assertThat(patienceMillis()).isEqualTo(250);
  }

  @Test
  void patience_slowCalls_isLongerUpToASecond() {
    add(200);
    assertThat(patienceMillis()).isEqualTo(800);
    add(600_000);
    assertThat(patienceMillis()).isEqualTo(1_000);
  }

  @Test
  void patience_databaseIsFastAgain_becomesShort() {
    add(400);
    for (int i = 0; i < 20; i++) {
      add(1);
    }
    assertThat(patienceMillis()).isEqualTo(250);
  }
}
