package io.punctual.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.TestEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class IsolationTest {
  private final StepTimer timer = new StepTimer();
  private final Isolation isolation = new Isolation(TestEnvironment.of(timer));

  private boolean enters(String id, Duration lease, int unsettled) {
    return isolation.enter(id, 1, timer.nanoTime() + lease.toNanos(), unsettled);
  }

  /** A manual claim with a long lease must not keep the other suspects of the client away. */
  @Test
  void enter_otherSuspectIsHeldForHours_isAdmittedAfterALimitedTime() {
    assertThat(enters("a", Duration.ofHours(12), 2)).isTrue();
    timer.advanceMillis(Duration.ofMinutes(1).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isFalse();
    timer.advanceMillis(Duration.ofMinutes(20).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isTrue();
  }

  @Test
  void enter_otherSuspectHasMoreAttempts_waitsLonger() {
    assertThat(enters("a", Duration.ofHours(12), 4)).isTrue();
    timer.advanceMillis(Duration.ofHours(2).toMillis());
    assertThat(enters("b", Duration.ofHours(12), 2)).isFalse();
    isolation.left("a", 1);
    assertThat(enters("b", Duration.ofHours(12), 2)).isTrue();
  }

  private static final Duration SHORT = Duration.ofMillis(50);

  private ClaimLease shortLease() {
    LeaseEnd end = new LeaseEnd(timer.nanoTime() + SHORT.toNanos(), 0);
    return new ClaimLease(null, 1, 0, timer.nanoTime(), end);
  }

  /** A start that waits longer than its lease would never happen. */
  @Test
  void whenAllReturned_returnsOutlastTheLease_startsWhileTheLeaseLasts() {
    isolation.returning(new CompletableFuture<>());
    List<Long> starts = new ArrayList<>();
    ClaimLease lease = shortLease();

    isolation.whenAllReturned(lease, () -> starts.add(timer.nanoTime()));
    for (int i = 0; i < 2 * SHORT.toMillis(); i++) {
      timer.advanceMillis(1);
    }

    assertThat(starts).singleElement().satisfies(at -> assertThat(lease.isOver(at)).isFalse());
  }

  @Test
  void whenReturned_othersReturnInTime_startsOnceAndThen() {
    CompletableFuture<Void> others = new CompletableFuture<>();
    isolation.returning(others);
    List<Long> starts = new ArrayList<>();
    isolation.whenReturned(shortLease(), () -> starts.add(timer.nanoTime()));
    timer.advanceMillis(10);
    assertThat(starts).isEmpty();

    others.complete(null);
    timer.advanceMillis(SHORT.toMillis());

    assertThat(starts).hasSize(1);
  }
}
