package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.Settled;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Lane;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The store around the lanes. */
interface StoreLevelContract {
  @Test
  default void describe_always_saysSomething(TestLane lane) {
    assertThat(lane.store().describe()).isNotBlank();
    assertThat(lane.store().safetyCheckInterval()).isPositive();
  }

  @Test
  default void lanes_sameQueue_sameLanesByIndex(TestLane lane, TestSession session) {
    List<Lane> again = Stages.await(lane.store().lanes(lane.lane().queue()));
    assertThat(again).hasSameSizeAs(lane.lanes()).isNotEmpty();
    for (int index = 0; index < again.size(); index++) {
      assertThat(again.get(index).index()).isEqualTo(index);
      assertThat(again.get(index).queue()).isEqualTo(lane.lane().queue());
    }
    session.schedule("a", lane.past());
    Lane same = again.get(again.size() - 1);
    assertThat(Stages.await(same.counts()).ready()).isEqualTo(1);
    Held held = TestSession.open(same).holdOne();
    assertThat(session.ack(held)).isEqualTo(Settled.DONE);
  }

  @Test
  default void lanes_ofOneQueue_keepToThemselves(TestLane lane, TestSession session) {
    assumeTrue(lane.lanes().size() > 1, "The store has one lane a queue");
    Lane first = lane.lanes().get(0);
    TestSession other = TestSession.open(first);
    session.schedule("a", lane.past());
    other.schedule("a", lane.past(), IfPresent.REJECT, "in the first lane");
    TestSession stranger = new TestSession(first, session.id());
    assertThat(stranger.send(1, 1, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());

    Held held = session.holdOne();
    assertThat(held.payload()).isEqualTo("a");
    assertThat(other.ack(held)).isEqualTo(Settled.LEASE_LOST);
    assertThat(other.holdOne().payload()).isEqualTo("in the first lane");
    assertThat(session.ack(held)).isEqualTo(Settled.DONE);
    assertThat(Stages.await(first.counts()).leased()).isEqualTo(1);
  }

  @Test
  default void queues_oneHoldsMessages_namesIt(TestLane lane, TestSession session) {
    session.schedule("a", lane.far());
    List<String> names = Stages.await(lane.store().queues());
    assertThat(names).contains(lane.lane().queue()).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void untilNext_manyLanes_answeredInTheirOrder(TestLane lane, TestSession session) {
    Store store = lane.store();
    List<Lane> lanes = new ArrayList<>(List.of(lane.lane()));
    for (int i = 0; i < 30; i++) {
      lanes.addAll(Stages.await(store.lanes(lane.lane().queue() + "." + i)));
    }
    session.schedule("far", lane.far());
    TestSession.open(lanes.get(7)).schedule("due", lane.past());

    long before = session.nowMicros();
    long[] until = Stages.await(store.untilNext(lanes));
    long after = session.nowMicros();
    assertThat(until).hasSize(lanes.size());
    assertThat(until[0])
        .isBetween(lane.far().millis() * 1000 - after, lane.far().millis() * 1000 - before);
    assertThat(until[7]).isZero();
    until[0] = Reply.NONE;
    until[7] = Reply.NONE;
    assertThat(until).containsOnly(Reply.NONE);
  }

  @Test
  default void untilNext_leased_saysUntilTheLeaseRunsOut(TestLane lane, TestSession session) {
    session.schedule("a", lane.past());
    Held held = session.holdOne(Duration.ofMinutes(1));
    long before = session.nowMicros();
    long[] until = Stages.await(lane.store().untilNext(List.of(lane.lane())));
    long after = session.nowMicros();
    assertThat(until).hasSize(1);
    assertThat(until[0])
        .isBetween(
            held.leasedUntilMillis() * 1000 - after, held.leasedUntilMillis() * 1000 - before);
    session.bury(held, "why");
    assertThat(Stages.await(lane.store().untilNext(List.of(lane.lane()))))
        .containsExactly(Reply.NONE);
  }

  @Test
  default void untilNext_noLanes_answersNothing(TestLane lane) {
    assertThat(Stages.await(lane.store().untilNext(List.of()))).isEmpty();
  }

  @Test
  default void close_always_refusesWhatComesLater(StoreContract contract) {
    Store store = contract.newStore();
    Lane lane = Stages.await(store.lanes("contract-" + TestSession.newId())).get(0);
    TestSession session = TestSession.open(lane);
    session.nowMicros();
    store.close();
    store.close();
    assertThatThrownBy(session::nowMicros).isInstanceOf(Lane.NotSentException.class);
    assertThatThrownBy(() -> Stages.await(lane.openSession(TestSession.newId(), null)))
        .isInstanceOf(Lane.NotSentException.class);
    assertThatThrownBy(() -> Stages.await(lane.counts())).isInstanceOf(Lane.NotSentException.class);
  }

  @Test
  default void capability_lacking_refusedByName(TestLane lane) {
    Set<Capability> lacking = EnumSet.allOf(Capability.class);
    lacking.removeAll(lane.store().capabilities());
    for (Capability capability : lacking) {
      assertThatThrownBy(() -> use(capability, lane))
          .satisfies(
              thrown ->
                  assertThat(words(String.valueOf(thrown.getMessage())))
                      .contains(words(capability.name())));
    }
  }

  private static String words(String text) {
    return text.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static void use(Capability capability, TestLane lane) {
    TestSession session = lane.newSession();
    switch (capability) {
      case CANCEL -> session.cancel("a");
      case RESCHEDULE -> session.runNow("a");
      case BROWSE -> lane.find("a");
      case FORECAST -> Stages.await(lane.lane().forecast(0, 1, 1));
      case PAUSE -> lane.pause(true);
      case PURGE -> lane.purge(State.DEAD);
      case DEAD_LETTERS -> session.redrive("a");
      case DURABILITY -> session.send(new Call.Apply(List.of(), Durability.NONE));
    }
  }

  @Test
  default void apply_durabilityNone_confirmed(TestLane lane, TestSession session) {
    lane.needs(Capability.DURABILITY);
    Operation operation = TestSession.scheduling("a", lane.past(), IfPresent.KEEP, "payload");
    Reply reply = session.send(new Call.Apply(List.of(operation), Durability.NONE));
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Applied.class, applied -> assertThat(applied.confirmation()).isNull());
    assertThat(session.claimIds()).containsExactly("a");
  }
}
