package io.punctual.redis.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectBackoffTest {
  private static final int CLIENTS = 200;
  private final List<Long> delays = new ArrayList<>();

  private final DueTimer timer =
      new DueTimer() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public Timeout schedule(long delayNanos, Runnable task) {
          delays.add(delayNanos);
          return () -> true;
        }
      };

  @Test
  void run_firstConnection_isMadeAtOnce() {
    List<String> runs = new ArrayList<>();
    new ConnectBackoff(timer).run(() -> runs.add("run"));
    assertThat(runs).hasSize(1);
    assertThat(delays).isEmpty();
  }

  @Test
  void run_allClientsLoseTheirConnection_connectAtDifferentTimes() {
    for (int i = 0; i < CLIENTS; i++) {
      ConnectBackoff backoff = new ConnectBackoff(timer);
      backoff.succeeded();
      backoff.run(() -> {});
    }
    assertThat(delays).allMatch(nanos -> nanos >= 0 && nanos < TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(new HashSet<>(delays)).hasSizeGreaterThan(CLIENTS / 2);
  }

  @Test
  void run_failuresInARow_waitsLongerUpToASecondAndAtDifferentTimes() {
    for (int failures = 1; failures <= 12; failures++) {
      delays.clear();
      for (int i = 0; i < CLIENTS; i++) {
        ConnectBackoff backoff = new ConnectBackoff(timer);
        for (int failure = 0; failure < failures; failure++) {
          backoff.failed();
        }
        backoff.run(() -> {});
      }
      long bound =
          Math.min(
              TimeUnit.SECONDS.toNanos(1), TimeUnit.MILLISECONDS.toNanos(10) << (failures - 1));
      assertThat(delays).allMatch(nanos -> nanos >= bound / 2 && nanos <= bound);
      assertThat(new HashSet<>(delays)).hasSizeGreaterThan(CLIENTS / 2);
    }
  }
}
