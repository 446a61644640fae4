package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.Settled;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.LaneCounts;
import io.punctual.spi.Operation;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Purge: it removes the states that it names, and no other. */
interface PurgeContract {
  @ParameterizedTest
  @EnumSource
  default void purge_oneState_leavesTheOthers(State state, TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    oneOfEach(lane, session);
    assertThat(lane.purge(state)).isEqualTo(1);
    lane.expectCounts(
        state == State.SCHEDULED ? 0 : 1,
        state == State.READY ? 0 : 1,
        state == State.LEASED ? 0 : 1,
        state == State.DEAD ? 0 : 1);
    if (lane.has(Capability.BROWSE)) {
      for (State other : State.values()) {
        assertThat(lane.find(other.name()).isPresent()).isEqualTo(other != state);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  default void purge_allButOneState_leavesThat(State state, TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    oneOfEach(lane, session);
    Set<State> others = EnumSet.complementOf(EnumSet.of(state));
    assertThat(lane.purge(others.toArray(State[]::new))).isEqualTo(3);
    LaneCounts counts = lane.counts();
    assertThat(counts.scheduled() + counts.ready() + counts.leased() + counts.dead()).isEqualTo(1);
    assertThat(lane.purge(state)).isEqualTo(1);
    assertThat(lane.purge(State.values())).isZero();
    lane.expectCounts(0, 0, 0, 0);
  }

  private static void oneOfEach(TestLane lane, TestSession session) {
    session.schedule("LEASED", lane.past());
    session.holdOne();
    session.schedule("DEAD", lane.past());
    session.bury(session.holdOne(), "why");
    session.schedule("READY", lane.past());
    session.schedule("SCHEDULED", lane.far());
    lane.expectCounts(1, 1, 1, 1);
  }

  @Test
  default void purge_noState_removesNothing(TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    session.schedule("a", lane.past());
    assertThat(lane.purge()).isZero();
    lane.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void purge_becomesReadyMeanwhile_isRemoved(TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    for (int i = 0; i < 100; i++) {
      session.schedule("a", new DueTime(true, 1 + i % 2));
      assertThat(lane.purge(State.SCHEDULED, State.READY)).isEqualTo(1);
    }
  }

  @Test
  default void purge_leased_refusesSettlementsAndExpires(TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    session.schedule("a", lane.past());
    Held held = session.holdOne();
    assertThat(lane.purge(State.LEASED)).isEqualTo(1);
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(Settled.LEASE_LOST);
    assertThat(session.retry(held, lane.past(), "why")).isEqualTo(Settled.LEASE_LOST);
    lane.expectCounts(0, 0, 0, 0);
    session.schedule("a", lane.past(), IfPresent.REJECT, "new");
    Held again = session.holdOne();
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.history()).isEmpty();
    assertThat(session.ack(held)).isEqualTo(Settled.LEASE_LOST);
  }

  @ParameterizedTest
  @EnumSource(names = {"LEASED", "EXPIRED", "MARKED", "EXPIRED_MARKED"})
  default void purge_leasedInEachStanding_removesIt(
      Standing standing, TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    standing.arrange(lane, session);
    assertThat(lane.purge(State.SCHEDULED, State.READY, State.DEAD)).isZero();
    assertThat(lane.purge(State.LEASED)).isEqualTo(1);
    lane.expectCounts(0, 0, 0, 0);
  }

  @ParameterizedTest
  @EnumSource
  default void purge_thousands_removesAll(State state, TestLane lane, TestSession session) {
    lane.needs(Capability.PURGE);
    for (int batch = 0; batch < 3; batch++) {
      fill(lane, session, state, batch);
    }
    assertThat(lane.purge(state)).isEqualTo(3000);
    lane.expectCounts(0, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
  }

  private static void fill(TestLane lane, TestSession session, State state, int batch) {
    session.apply(
        IntStream.range(0, 1000)
            .mapToObj(
                i ->
                    TestSession.scheduling(
                        batch + "-" + i,
                        state == State.SCHEDULED ? lane.far(i % 3) : lane.past(i % 3),
                        IfPresent.KEEP,
                        "payload"))
            .toList());
    if (state == State.LEASED || state == State.DEAD) {
      List<Held> held = session.hold(1000, TestSession.LONG);
      if (state == State.DEAD) {
        session.apply(held.stream().map(PurgeContract::burying).toList());
      }
    }
  }

  private static Operation burying(Held held) {
    return new Operation.Bury(held.id(), held.token(), new byte[0]);
  }
}
