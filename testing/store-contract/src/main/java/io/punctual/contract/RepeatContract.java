package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A repeat ends the processing of a message, and schedules the message once more. */
interface RepeatContract {
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DISCARDED",
    "EXPIRED_MARKED, DISCARDED",
    "DEAD,           LEASE_LOST",
    "FINISHED,       LEASE_LOST",
  })
  default void repeat_eachInitialState_restartsLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    assertThat(cell.session().repeat(cell.held(), partition.past())).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> cell.expectOldReady(1, ""));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "ABSENT,         LEASE_LOST",
    "SCHEDULED,      LEASE_LOST",
    "READY,          LEASE_LOST",
    "LEASED,         DONE",
    "EXPIRED,        DONE",
    "MARKED,         DISCARDED",
    "EXPIRED_MARKED, DISCARDED",
    "DEAD,           LEASE_LOST",
    "FINISHED,       LEASE_LOST",
  })
  default void repeat_withNewContentEachInitialState_replacesLeasedMessages(
      InitialState state, SettleOutcome outcome, TestPartition partition) {
    StateTableCell cell = new StateTableCell(partition, state);
    Content content = Content.of(InitialState.NEW.getBytes(StandardCharsets.UTF_8));
    assertThat(cell.session().repeat(cell.held(), partition.past(), content)).isEqualTo(outcome);
    cell.expectSettled(outcome, () -> cell.expectNewReady());
  }

  @Test
  default void repeat_untilLater_waitsWithoutAttemptsAndHistory(
      TestPartition partition, TestSession session) {
    Content content = new Content(new byte[] {1}, Map.of("tenant", "a"), partition.far(9).millis());
    session.apply(new Operation.Schedule("a", partition.past(), IfPresent.REJECT, content));
    session.retry(session.claimOne(), partition.past(), "once");
    assertThat(session.repeat(session.claimOne(), partition.far())).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(1, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
    if (partition.has(Capability.BROWSE)) {
      Entry entry = partition.entry("a");
      assertThat(entry.state()).isEqualTo(State.SCHEDULED);
      assertThat(entry.dueMillis()).isEqualTo(partition.far().millis());
      assertThat(entry.attempts()).isZero();
      assertThat(entry.history()).isEmpty();
      assertThat(entry.content())
          .usingRecursiveComparison()
          .ignoringFields("createdMillis")
          .isEqualTo(content);
    }
  }

  @Test
  default void repeat_withNewContent_hasItsHeadersAndExpiry(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    Content content = new Content(new byte[0], Map.of("tenant", "b"), partition.far(9).millis());
    session.repeat(session.claimOne(), partition.past(5), content);
    ClaimedMessage again = session.claimOne();
    assertThat(again.message().content())
        .usingRecursiveComparison()
        .ignoringFields("createdMillis")
        .isEqualTo(content);
    assertThat(again.message().dueMillis()).isEqualTo(partition.past(5).millis());
  }

  @Test
  default void repeat_withADelay_countsFromTheEnginesClock(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    long before = session.nowMicros();
    session.repeat(held, new DueTime(true, 60));
    assertThat(session.claimIds()).isEmpty();
    partition.advance(Duration.ofMillis(62));
    assertThat(session.claimOne().message().dueMillis())
        .isGreaterThanOrEqualTo(new DueTime(true, 60).atMillis(before));
  }

  @Test
  default void repeat_againAndAgain_isTheFirstAttemptEachTime(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    long token = 0;
    for (int round = 0; round < 5; round++) {
      ClaimedMessage held = session.claimOne();
      assertThat(held.attempt()).isEqualTo(1);
      assertThat(held.token()).isGreaterThan(token);
      token = held.token();
      assertThat(session.repeat(held, partition.past(round))).isEqualTo(SettleOutcome.DONE);
    }
    assertThat(session.ack(session.claimOne())).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void repeat_beforeOtherOperationsOfItsCall_isSeenByThem(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    var outcomes =
        session
            .apply(
                new Operation.Repeat("a", held.token(), partition.far(), null),
                new Operation.Repeat("a", held.token(), partition.far(1), null),
                new Operation.Reschedule("a", partition.past(3)))
            .outcomes();
    assertThat(outcomes.get(0)).isEqualTo(new Outcome.OfSettlement(SettleOutcome.DONE));
    assertThat(outcomes.get(1)).isEqualTo(new Outcome.OfSettlement(SettleOutcome.LEASE_LOST));
    assertThat(session.claimOne().message().dueMillis()).isEqualTo(partition.past(3).millis());
  }
}
