package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.ScheduleOutcome;
import io.punctual.Settled;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Due times, and operations that share a call. */
interface ScheduleContract {
  @Test
  default void schedule_delay_countsFromTheEnginesClockRoundedUp(TestSession session) {
    DueTime due = new DueTime(true, 1234);
    Reply.Applied applied =
        session.apply(TestSession.scheduling("a", due, IfPresent.KEEP, "payload"));
    long dueMillis = -Math.floorDiv(-applied.engineMicros(), 1000L) + 1234;
    assertThat(applied.outcomes())
        .containsExactly(new Outcome.OfSchedule(ScheduleOutcome.STORED, dueMillis, null));
    assertThat(applied.confirmation()).isNull();
  }

  @Test
  default void schedule_now_canBeClaimedWithinAMillisecond(TestLane lane, TestSession session) {
    session.schedule("a", DueTime.NOW);
    lane.advance(Duration.ofMillis(1));
    Held held = session.holdOne();
    assertThat(held.message().dueMillis()).isLessThanOrEqualTo(held.engineMicros() / 1000);
  }

  @Test
  default void schedule_farthestTimes_keptAsTheyAre(TestLane lane, TestSession session) {
    Duration farthest = Duration.ofDays(Limits.DAYS).minusMillis(1);
    DueTime last = new DueTime(false, farthest.toMillis());
    DueTime first = new DueTime(false, -farthest.toMillis());
    assertThat(session.schedule("last", last).dueMillis()).isEqualTo(last.millis());
    assertThat(session.schedule("first", first).dueMillis()).isEqualTo(first.millis());
    Outcome.OfSchedule delayed = session.schedule("delayed", DueTime.of(Due.in(farthest)));
    assertThat(delayed.dueMillis()).isGreaterThan(last.millis());
    lane.expectCounts(2, 1, 0, 0);

    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).hasSize(1);
    assertThat(claimed.messages().get(0).id()).isEqualTo("first");
    assertThat(claimed.messages().get(0).dueMillis()).isEqualTo(first.millis());
  }

  @Test
  default void apply_manyOperations_answeredInOrder(TestLane lane, TestSession session) {
    lane.needs(Capability.CANCEL);
    List<Outcome> outcomes =
        session
            .apply(
                new Operation.Cancel("a"),
                TestSession.scheduling("a", lane.far(), IfPresent.KEEP, "1"),
                TestSession.scheduling("a", lane.past(), IfPresent.KEEP, "2"),
                TestSession.scheduling("a", lane.past(1), IfPresent.REPLACE, "3"),
                new Operation.Cancel("a"),
                TestSession.scheduling("a", lane.past(2), IfPresent.REJECT, "4"),
                new Operation.Ack("a", 1))
            .outcomes();
    assertThat(outcomes)
        .containsExactly(
            new Outcome.OfCancel(CancelOutcome.NOT_FOUND),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, lane.far().millis(), null),
            new Outcome.OfSchedule(ScheduleOutcome.KEPT, lane.far().millis(), State.SCHEDULED),
            new Outcome.OfSchedule(
                ScheduleOutcome.REPLACED, lane.past(1).millis(), State.SCHEDULED),
            new Outcome.OfCancel(CancelOutcome.CANCELLED),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, lane.past(2).millis(), null),
            new Outcome.OfSettlement(Settled.LEASE_LOST));
    assertThat(session.holdOne().payload()).isEqualTo("4");
  }

  @Test
  default void apply_settlementAndScheduleOfOneId_takeEffectInOrder(
      TestLane lane, TestSession session) {
    session.schedule("a", lane.past(), IfPresent.KEEP, "1");
    Held held = session.holdOne();
    List<Outcome> outcomes =
        session
            .apply(
                TestSession.scheduling("a", lane.past(), IfPresent.KEEP, "2"),
                new Operation.Ack("a", held.token()),
                TestSession.scheduling("a", lane.past(), IfPresent.KEEP, "3"),
                new Operation.Ack("a", held.token()))
            .outcomes();
    assertThat(outcomes)
        .containsExactly(
            new Outcome.OfSchedule(ScheduleOutcome.KEPT, lane.past().millis(), State.LEASED),
            new Outcome.OfSettlement(Settled.DONE),
            new Outcome.OfSchedule(ScheduleOutcome.STORED, lane.past().millis(), null),
            new Outcome.OfSettlement(Settled.LEASE_LOST));
    Held again = session.holdOne();
    assertThat(again.payload()).isEqualTo("3");
    assertThat(again.attempt()).isEqualTo(1);
  }

  @Test
  default void apply_asManyAsAllowed_allTakeEffect(TestLane lane, TestSession session) {
    List<Outcome> outcomes = session.apply(schedules(lane, Lane.MAX_OPERATIONS)).outcomes();
    assertThat(outcomes)
        .allSatisfy(
            outcome ->
                assertThat(outcome)
                    .isInstanceOfSatisfying(
                        Outcome.OfSchedule.class,
                        of -> assertThat(of.outcome()).isEqualTo(ScheduleOutcome.STORED)));
    lane.expectCounts(0, Lane.MAX_OPERATIONS, 0, 0);
    List<Held> held = session.hold(Lane.MAX_OPERATIONS, TestSession.LONG);
    assertThat(held).hasSize(Lane.MAX_OPERATIONS);
    session.apply(held.stream().map(one -> new Operation.Ack(one.id(), one.token())).toList());
    lane.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void apply_moreThanAllowed_refusedAndTheNumberStillExpected(
      TestLane lane, TestSession session) {
    List<Operation> tooMany = new ArrayList<>(schedules(lane, Lane.MAX_OPERATIONS + 1));
    assertThatThrownBy(() -> session.apply(tooMany)).isInstanceOf(Lane.LaneException.class);
    lane.expectCounts(0, 0, 0, 0);
    session.schedule("a", lane.past());
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void apply_nothing_answeredWithTheEnginesClock(TestLane lane, TestSession session) {
    long before = session.nowMicros();
    lane.advance(Duration.ofMillis(2));
    assertThat(session.nowMicros()).isGreaterThanOrEqualTo(before + 2_000);
    lane.expectCounts(0, 0, 0, 0);
  }

  @Test
  default void calls_ofOneId_takeEffectInTheOrderTheyWereMade(TestLane lane) {
    lane.needs(Capability.CANCEL);
    PipelinedSession session = new PipelinedSession(lane.lane());
    for (int round = 0; round < 50; round++) {
      session.apply(TestSession.scheduling("a", lane.far(), IfPresent.REJECT, "payload"));
      session.apply(new Operation.Cancel("a"));
    }
    List<Outcome> expected =
        List.of(
            new Outcome.OfSchedule(ScheduleOutcome.STORED, lane.far().millis(), null),
            new Outcome.OfCancel(CancelOutcome.CANCELLED));
    List<Outcome> outcomes = session.outcomes();
    assertThat(outcomes).hasSize(100);
    IntStream.range(0, 100)
        .forEach(call -> assertThat(outcomes.get(call)).isEqualTo(expected.get(call % 2)));
  }

  private static List<Operation.Schedule> schedules(TestLane lane, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> TestSession.scheduling("m" + i, lane.past(), IfPresent.KEEP, "payload"))
        .toList();
  }
}
