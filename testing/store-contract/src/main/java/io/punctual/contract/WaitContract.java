package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.SettleOutcome;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The reply to a claim contains the time until the next message can be claimed. This time must
 * never be too long. It may be too short only in some cases, for example after a cancel.
 */
interface WaitContract {
  @Test
  default void claim_emptyPartition_answersNothingToWaitFor(TestSession session) {
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.token()).isNotNegative();
    assertThat(claimed.untilNextMicros()).isEqualTo(Reply.NONE);
  }

  @Test
  default void claim_nextIsDecadesAway_saysSoToTheMicrosecond(
      TestPartition partition, TestSession session) {
    DueTime decades = new DueTime(false, 4_102_444_800_123L);
    session.schedule("a", decades);
    session.schedule("b", new DueTime(false, decades.millis() + 1));
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.untilNextMicros())
        .isEqualTo(decades.millis() * 1000 - claimed.engineMicros());
  }

  @Test
  default void claim_limitZero_onlyAsks(TestPartition partition, TestSession session) {
    session.schedule("far", partition.far());
    Reply.Claimed waiting = session.claim(0, TestSession.LONG);
    assertThat(waiting.messages()).isEmpty();
    assertThat(waiting.untilNextMicros())
        .isEqualTo(partition.far().millis() * 1000 - waiting.engineMicros());

    session.schedule("due", partition.past());
    Reply.Claimed due = session.claim(0, TestSession.LONG);
    assertThat(due.messages()).isEmpty();
    assertThat(due.untilNextMicros()).isZero();
    partition.expectCounts(1, 1, 0, 0);
  }

  @Test
  default void claim_limitTakesTheLast_saysHowLongItsLeaseLasts(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    Reply.Claimed claimed = session.claim(1, Duration.ofMinutes(1));
    ClaimedMessage held = ClaimedMessage.of(claimed.messages().get(0), claimed, 60_000);
    assertThat(claimed.untilNextMicros())
        .isEqualTo(held.leasedUntilMillis() * 1000 - claimed.engineMicros());
  }

  @Test
  default void claim_leaseRunsOutBeforeTheNextIsDue_saysUntilTheLease(
      TestPartition partition, TestSession session) {
    session.schedule("far", partition.far());
    session.schedule("due", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMinutes(1));
    Reply.Claimed next = session.claim(10, TestSession.LONG);
    assertThat(next.messages()).isEmpty();
    assertThat(next.untilNextMicros())
        .isEqualTo(held.leasedUntilMillis() * 1000 - next.engineMicros());
  }

  @Test
  default void claim_leaseEndsAfterTheNextIsDue_saysUntilTheMessage(
      TestPartition partition, TestSession session) {
    session.schedule("far", partition.far());
    session.schedule("due", partition.past());
    session.claimOne(Duration.ofHours(2));
    Reply.Claimed next = session.claim(10, TestSession.LONG);
    assertThat(next.untilNextMicros())
        .isEqualTo(partition.far().millis() * 1000 - next.engineMicros());
  }

  @Test
  default void claim_onlyDeadLetters_nothingToWaitFor(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    assertThat(session.bury(session.claimOne(), "why")).isEqualTo(SettleOutcome.DONE);
    assertThat(session.claim(10, TestSession.LONG).untilNextMicros()).isEqualTo(Reply.NONE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 20, 64, 70})
  default void claim_waitedAsLongAsSaid_succeeds(
      int delayMillis, TestPartition partition, TestSession session) {
    session.schedule("a", new DueTime(true, delayMillis));
    Reply.Claimed asked = session.claim(0, TestSession.LONG);
    partition.advance(micros(asked.untilNextMicros()));
    assertThat(session.claimIds()).containsExactly("a");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 20, 64, 70})
  default void claim_waitedAMicrosecondLess_neverEarly(
      int delayMillis, TestPartition partition, TestSession session) {
    long dueMillis = session.schedule("a", new DueTime(true, delayMillis)).dueMillis();
    Reply.Claimed asked = session.claim(0, TestSession.LONG);
    partition.advance(micros(Math.max(0, asked.untilNextMicros() - 1)));
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    boolean isDue = claimed.engineMicros() / 1000 >= dueMillis;
    assertThat(claimed.messages()).hasSize(isDue ? 1 : 0);
  }

  @Test
  default void claim_leaseWaitedAsLongAsSaid_deliversAgain(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    Reply.Claimed first = session.claim(1, Duration.ofMillis(15));
    partition.advance(micros(first.untilNextMicros()));
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void claim_firstMessageIsCancelled_findsTheNextInTime(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    session.schedule("first", new DueTime(true, 30));
    long dueMillis = session.schedule("second", new DueTime(true, 90)).dueMillis();
    session.cancel("first");
    List<ClaimedMessage> held = new ArrayList<>();
    for (int claims = 0; held.isEmpty(); claims++) {
      assertThat(claims).as("claims for one message").isLessThan(10);
      Reply.Claimed claimed = session.claim(10, TestSession.LONG);
      claimed.messages().forEach(message -> held.add(ClaimedMessage.of(message, claimed, 0)));
      if (held.isEmpty()) {
        assertThat(claimed.untilNextMicros())
            .isBetween(0L, dueMillis * 1000 - claimed.engineMicros());
        partition.advance(micros(claimed.untilNextMicros()));
      }
    }
    assertThat(held).extracting(ClaimedMessage::id).containsExactly("second");
    assertThat(held.get(0).engineMicros() / 1000).isGreaterThanOrEqualTo(dueMillis);
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1000);
  }
}
