package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ClaimStateTest {
  private static final long NOW = 1_000_000;

  private long nanos;
  private final ClaimState state = new ClaimState(() -> nanos);

  private void claimAllDue() {
    state.begin();
    state.tookDue(NOW);
    state.foundLeasedNext(NOW + 1_000);
    state.committed();
  }

  @Test
  void begin_afterAClaim_startsAtTheTimeOfThatClaim() {
    claimAllDue();
    state.begin();
    assertThat(state.waitingFrom().millis()).isBetween(NOW - 1_000, NOW);
  }

  @Test
  void begin_longAfterAClaim_looksAtAllMessages() {
    claimAllDue();
    nanos += 250_000_000;
    state.begin();
    assertThat(state.waitingFrom()).isEqualTo(Position.START);
  }

  /** While an old snapshot is open, a sweep can take seconds. */
  @Test
  void begin_afterALongSweep_sweepsForATenthOfTheTime() {
    state.begin();
    nanos += 2_000_000_000;
    state.tookDue(NOW);
    state.committed();
    nanos += 17_900_000_000L;
    state.begin();
    assertThat(state.waitingFrom()).isNotEqualTo(Position.START);
    state.committed();
    nanos += 200_000_000;
    state.begin();
    assertThat(state.waitingFrom()).isEqualTo(Position.START);
  }

  @Test
  void begin_messageWithAnEarlierTimeChanged_startsAtThisTime() {
    claimAllDue();
    state.changed(Earliest.waiting(NOW - 10_000));
    state.begin();
    assertThat(state.waitingFrom()).isEqualTo(Position.before(NOW - 10_000));
  }

  /** The claim may have looked at the messages before the commit of the change. */
  @Test
  void begin_messageWithAnEarlierTimeChangedDuringTheLastClaim_startsAtThisTime() {
    claimAllDue();
    state.begin();
    state.changed(Earliest.waiting(NOW - 10_000));
    state.tookDue(NOW);
    state.committed();
    state.begin();
    assertThat(state.waitingFrom()).isEqualTo(Position.before(NOW - 10_000));
  }

  /** The new message may have an id before the position. */
  @Test
  void begin_messageWithTheTimeOfThePositionChanged_startsBeforeThisTime() {
    claimAllDue();
    state.begin();
    state.tookDueUpTo(new Position(NOW, new byte[] {50}));
    state.committed();
    state.changed(Earliest.waiting(NOW));
    state.begin();
    assertThat(state.waitingFrom()).isEqualTo(Position.before(NOW));
  }

  @Test
  void begin_leaseThatEndsEarlierChangedDuringTheLastClaim_knowsItsEnd() {
    state.begin();
    state.changed(new Earliest(Long.MAX_VALUE, NOW + 500));
    state.tookDue(NOW);
    state.foundLeasedNext(NOW + 1_000);
    state.committed();
    state.begin();
    assertThat(state.leasedNext()).isEqualTo(NOW + 500);
  }

  @Test
  void begin_messageWithALaterTimeChanged_startsAtTheTimeOfTheLastClaim() {
    claimAllDue();
    state.changed(Earliest.waiting(NOW + 10_000));
    state.begin();
    assertThat(state.waitingFrom().millis()).isBetween(NOW - 1_000, NOW);
  }
}
