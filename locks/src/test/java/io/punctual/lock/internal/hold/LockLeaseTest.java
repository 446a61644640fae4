package io.punctual.lock.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when a lease ends by the client's clock. */
final class LeaseTest {
  private static final long HOUR = 3_600_000_000_000L;

  @Test
  void lease_onAServerWhoseClockIsFaster_endsHereFirst() {
    long sentAt = Long.MAX_VALUE - HOUR / 2; // The monotonic clock overflows within the lease.
    long until = LockLease.until(sentAt, 3_600_000);
    // The client's clock may be 500 parts in a million too slow, and the server's clock 500 parts
    // too fast.
    long byTheServer = HOUR - HOUR / 1_000;

    assertThat(until - sentAt).isLessThanOrEqualTo(byTheServer).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {-HOUR, 0, 1, 999, 999_000, 1_000_000, 29_970_000_000L, 30 * 24 * HOUR})
  void millisUntil_anyTime_areALeaseThatLastsUntilThen(long remaining) {
    long now = Long.MAX_VALUE - HOUR / 2;
    long millis = LockLease.millisUntil(now + remaining, now);
    assertThat(LockLease.until(now, millis) - now)
        .isGreaterThanOrEqualTo(remaining)
        .isLessThanOrEqualTo(Math.max(0, remaining) + 1_000_000);
    assertThat(millis).isPositive();
  }

  @Test
  void renewal_afterTheEnd_bringsNothingBack() {
    LockLease lease = new LockLease(1_000);
    lease.renewed(1_500, 900);
    assertThat(lease.remainingNanos(1_000)).isEqualTo(500);

    lease.renewed(1_200, 1_000);
    assertThat(lease.remainingNanos(1_000)).as("an earlier end").isEqualTo(500);
    lease.renewed(3_000, 1_500);
    assertThat(lease.remainingNanos(1_500)).as("too late").isZero();
  }
}
