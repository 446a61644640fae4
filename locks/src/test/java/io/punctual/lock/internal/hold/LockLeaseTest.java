package io.punctual.lock.internal.hold;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests when a lease ends by the client's clock. */
final class LeaseTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  @Test
  void lease_onAServerWhoseClockIsFaster_endsHereFirst() {
    long sentAt = Long.MAX_VALUE - HOUR / 2; // The monotonic clock overflows within the lease.
    long until = LockLease.until(sentAt, TimeUnit.HOURS.toMillis(1));
    // The client's clock may be 500 parts in a million too slow, and the server's clock 500 parts
    // too fast.
    long byTheServer = HOUR - HOUR / 1_000;

    assertThat(until - sentAt).isLessThanOrEqualTo(byTheServer).isPositive();
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
