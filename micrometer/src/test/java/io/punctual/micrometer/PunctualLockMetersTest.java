package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.punctual.lock.LockEvent;
import io.punctual.lock.LockKind;
import io.punctual.lock.ReleaseOutcome;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PunctualLockMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PunctualLockMeters meters = new PunctualLockMeters(registry);

  @Test
  void events_areCountedByKind_withoutTheName() {
    meters.on(new LockEvent.Acquired(LockKind.MUTEX, "a", 1, Duration.ofSeconds(2)));
    meters.on(new LockEvent.Acquired(LockKind.MUTEX, "b", 1, Duration.ZERO));
    meters.on(new LockEvent.Acquired(LockKind.MUTEX, "c", 1, Duration.ZERO));
    meters.on(new LockEvent.NotAcquired(LockKind.READ_WRITE, "d", Duration.ofSeconds(1)));
    meters.on(
        new LockEvent.Released(
            LockKind.MUTEX, "a", Duration.ofSeconds(3), ReleaseOutcome.RELEASED));
    meters.on(new LockEvent.Lost(LockKind.MUTEX, "b", 1, Duration.ofSeconds(4), "for the test"));
    assertThat(registry.get("punctual.locks.wait").tag("kind", "mutex").timer().count())
        .isEqualTo(3);
    assertThat(registry.get("punctual.locks.wait").tag("kind", "read_write").timer().count())
        .isEqualTo(1);
    assertThat(
            registry
                .get("punctual.locks.held")
                .tag("kind", "mutex")
                .timer()
                .totalTime(TimeUnit.SECONDS))
        .isEqualTo(7);
    assertThat(registry.get("punctual.locks.lost").tag("kind", "mutex").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("punctual.locks.holding").tag("kind", "mutex").gauge().value())
        .isEqualTo(1);
    assertThat(registry.getMeters())
        .allSatisfy(meter -> assertThat(meter.getId().getTags()).hasSize(1));
  }
}
