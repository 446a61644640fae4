package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests due times, and several operations in a call. */
interface ScheduleContract {
  @Test
  default void schedule_delay_countsFromTheEnginesClockRoundedUp(TestSession session) {
    DueTime due = new DueTime(true, 1234);
    Reply.Applied applied =
        session.apply(TestSession.scheduling("a", due, IfPresent.KEEP, "payload"));
    long dueMillis = -Math.floorDiv(-applied.engineMicros(), 1000L) + 1234;
    assertThat(applied.outcomes())
        .containsExactly(new Outcome.OfSchedule(ScheduleOutcome.STORED, dueMillis, null));
  }

  @Test
  default void schedule_now_canBeClaimedAtOnce(TestSession session) {
    session.schedule("a", DueTime.NOW);
    ClaimedMessage held = session.claimOne();
    assertThat(held.message().dueMillis()).isLessThanOrEqualTo(held.engineMicros() / 1000);
  }

  @Test
  default void schedule_farthestTimes_keptAsTheyAre(TestPartition partition, TestSession session) {
    Duration farthest = Duration.ofDays(Limits.DAYS).minusMillis(1);
    DueTime last = new DueTime(false, farthest.toMillis());
    DueTime first = new DueTime(false, -farthest.toMillis());
    assertThat(session.schedule("last", last).dueMillis()).isEqualTo(last.millis());
    assertThat(session.schedule("first", first).dueMillis()).isEqualTo(first.millis());
    Outcome.OfSchedule delayed = session.schedule("delayed", DueTime.of(Due.after(farthest)));
    assertThat(delayed.dueMillis()).isGreaterThan(last.millis());
    partition.expectCounts(2, 1, 0, 0);

    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).hasSize(1);
    assertThat(claimed.messages().get(0).id()).isEqualTo("first");
    assertThat(claimed.messages().get(0).dueMillis()).isEqualTo(first.millis());
  }

  @Test
  default void apply_manyOperations_answeredInOrder(TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    List<Outcome> outcomes =
        session
            .apply(
                new Operation.Cancel("a"),
                TestSession.scheduling("a", partition.far(), IfPresent.KEEP, "1"),
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "2"),
                TestSession.scheduling("a", partition.past(1), IfPresent.REPLACE, "3"),
                new Operation.Cancel("a"),
                TestSession.scheduling("a", partition.past(2), IfPresent.REJECT, "4"),
                new Operation.Ack("a", 1))
            .outcomes();
    assertThat(outcomes)
        .containsExactly(
            new Outcome.OfCancel(CancelOutcome.NOT_FOUND),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, partition.far().millis(), null),
            new Outcome.OfSchedule(ScheduleOutcome.KEPT, partition.far().millis(), State.SCHEDULED),
            new Outcome.OfSchedule(
                ScheduleOutcome.REPLACED, partition.past(1).millis(), State.SCHEDULED),
            new Outcome.OfCancel(CancelOutcome.CANCELLED),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, partition.past(2).millis(), null),
            new Outcome.OfSettlement(SettleOutcome.LEASE_LOST));
    assertThat(session.claimOne().payload()).isEqualTo("4");
  }

  @Test
  default void apply_settlementAndScheduleOfOneId_takeEffectInOrder(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past(), IfPresent.KEEP, "1");
    ClaimedMessage held = session.claimOne();
    List<Outcome> outcomes =
        session
            .apply(
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "2"),
                new Operation.Ack("a", held.token()),
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "3"),
                new Operation.Ack("a", held.token()))
            .outcomes();
    assertThat(outcomes)
        .containsExactly(
            new Outcome.OfSchedule(ScheduleOutcome.KEPT, partition.past().millis(), State.LEASED),
            new Outcome.OfSettlement(SettleOutcome.DONE),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, partition.past().millis(), null),
            new Outcome.OfSettlement(SettleOutcome.LEASE_LOST));
    ClaimedMessage again = session.claimOne();
    assertThat(again.payload()).isEqualTo("3");
    assertThat(again.attempt()).isEqualTo(1);
  }

  @Test
  default void apply_asManyAsAllowed_allTakeEffect(TestPartition partition, TestSession session) {
    List<Outcome> outcomes =
        session.apply(schedules(partition, Partition.MAX_OPERATIONS)).outcomes();
    assertThat(outcomes)
        .allSatisfy(
            outcome ->
                assertThat(outcome)
                    .isInstanceOfSatisfying(
                        Outcome.OfSchedule.class,
                        of -> assertThat(of.outcome()).isEqualTo(ScheduleOutcome.STORED)));
    partition.expectCounts(0, Partition.MAX_OPERATIONS, 0, 0);
    List<ClaimedMessage> held = session.hold(Partition.MAX_OPERATIONS, TestSession.LONG);
    assertThat(held).hasSize(Partition.MAX_OPERATIONS);
    session.apply(held.stream().map(one -> new Operation.Ack(one.id(), one.token())).toList());
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void apply_moreThanAllowed_refusedAndTheNumberStillExpected(
      TestPartition partition, TestSession session) {
    List<Operation> tooMany = new ArrayList<>(schedules(partition, Partition.MAX_OPERATIONS + 1));
    assertThatThrownBy(() -> session.apply(tooMany))
        .isInstanceOf(Partition.PartitionException.class);
    partition.expectCounts(0, 0, 0, 0);
    session.schedule("a", partition.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void apply_nothing_answeredWithTheEnginesClock(
      TestPartition partition, TestSession session) {
    long before = session.nowMicros();
    partition.advance(Duration.ofMillis(2));
    assertThat(session.nowMicros()).isGreaterThanOrEqualTo(before + 2_000);
    partition.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void calls_ofOneId_takeEffectInTheOrderTheyWereMade(TestPartition partition) {
    partition.needs(Capability.CANCEL);
    PipelinedSession session = new PipelinedSession(partition);
    for (int round = 0; round < 50; round++) {
      session.apply(TestSession.scheduling("a", partition.far(), IfPresent.REJECT, "payload"));
      session.apply(new Operation.Cancel("a"));
    }
    List<Outcome> expected =
        List.of(
            new Outcome.OfSchedule(ScheduleOutcome.STORED, partition.far().millis(), null),
            new Outcome.OfCancel(CancelOutcome.CANCELLED));
    List<Outcome> outcomes = session.outcomes();
    assertThat(outcomes).hasSize(100);
    IntStream.range(0, 100)
        .forEach(call -> assertThat(outcomes.get(call)).isEqualTo(expected.get(call % 2)));
  }

  private static List<Operation.Schedule> schedules(TestPartition partition, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> TestSession.scheduling("m" + i, partition.past(), IfPresent.KEEP, "payload"))
        .toList();
  }
}
