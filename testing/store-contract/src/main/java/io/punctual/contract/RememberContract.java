package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.DeleteQueueOutcome;
import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The ids of finished messages are remembered for as long as the ack says, and not longer. */
interface RememberContract {
  /** A time that is short enough for a test to wait for its end. */
  Duration SHORT = Duration.ofMillis(40);

  @Test
  default void ack_rememberedId_isDoneUntilTheTimeOfTheAck(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    long before = session.nowMicros();
    assertThat(session.ack(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    long after = session.nowMicros();
    partition.expectCounts(0, 0, 0, 0, 1);
    Outcome.OfSchedule kept = session.schedule("a", partition.past());
    assertThat(kept.outcome()).isEqualTo(ScheduleOutcome.KEPT);
    assertThat(kept.previous()).isEqualTo(State.FINISHED);
    assertThat(kept.dueMillis())
        .isBetween(
            before / 1000 + TestSession.LONG.toMillis(),
            after / 1000 + 1 + TestSession.LONG.toMillis());
    assertThat(session.claimIds()).isEmpty();
    assertThat(session.ack(held, TestSession.LONG)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @Test
  default void find_rememberedId_hasOnlyTheId(TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.BROWSE);
    ClaimedMessage held = InitialState.FINISHED.arrange(partition, session);
    Entry entry = partition.entry(held.id());
    assertThat(entry.state()).isEqualTo(State.FINISHED);
    assertThat(entry.content()).isNull();
    assertThat(entry.attempts()).isZero();
    assertThat(entry.history()).isEmpty();
    assertThat(entry.cancelled()).isFalse();
    assertThat(entry.leasedUntilMillis()).isZero();
    assertThat(entry.diedAtMillis()).isZero();
    assertThat(entry.dueMillis())
        .isEqualTo(session.schedule(held.id(), partition.past()).dueMillis());
  }

  @Test
  default void time_over_idCanBeScheduledAgain(TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.DEAD_LETTERS);
    List<String> ids = IntStream.range(0, 5).mapToObj(i -> "id " + i).toList();
    ids.forEach(id -> session.schedule(id, partition.past()));
    session.hold(10, TestSession.LONG).forEach(held -> session.ack(held, SHORT));
    partition.advance(SHORT.plusMillis(2));
    partition.expectCounts(0, 0, 0, 0, 0);
    if (partition.has(Capability.BROWSE)) {
      assertThat(partition.find("id 0")).isEmpty();
      assertThat(partition.browse(State.FINISHED, 2)).isEmpty();
    }
    if (partition.has(Capability.PURGE)) {
      assertThat(partition.purge(State.FINISHED)).isZero();
    }
    assertThat(session.redrive("id 1")).isEqualTo(DeadLetterOutcome.NOT_FOUND);
    List<IfPresent> modes = List.of(IfPresent.values());
    for (int i = 0; i < modes.size(); i++) {
      Outcome.OfSchedule stored =
          session.schedule("id " + i, partition.past(), modes.get(i), "new");
      assertThat(stored.outcome()).isEqualTo(ScheduleOutcome.STORED);
      assertThat(stored.previous()).isNull();
    }
    partition.expectCounts(0, modes.size(), 0, 0, 0);
    assertThat(session.hold(10, TestSession.LONG))
        .hasSize(modes.size())
        .allSatisfy(again -> assertThat(again.attempt()).isEqualTo(1))
        .allSatisfy(again -> assertThat(again.payload()).isEqualTo("new"));
  }

  @Test
  default void timeOver_emptyQueue_canBeDeleted(TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    session.schedule("a", partition.past());
    session.ack(session.claimOne(), Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(StoreResults.await(partition.store().delete(partition.partition().queue())))
        .isEqualTo(DeleteQueueOutcome.DELETED);
  }

  @Test
  default void browse_rememberedIds_listedByTheEndOfTheirTimes(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.BROWSE);
    List<String> ids = IntStream.range(0, 9).mapToObj(i -> "id " + i).toList();
    ids.forEach(id -> session.schedule(id, partition.past()));
    List<ClaimedMessage> held = new ArrayList<>(session.hold(10, TestSession.LONG));
    held.forEach(one -> session.ack(one, later(one)));
    session.schedule("waiting", partition.far());
    List<String> byEnd = ids.stream().sorted((a, b) -> b.compareTo(a)).toList();
    assertThat(partition.browseIds(State.FINISHED, 2)).isEqualTo(byEnd);
    assertThat(partition.browseIds(State.FINISHED, 100)).isEqualTo(byEnd);
    assertThat(partition.browse(State.FINISHED, 4))
        .allSatisfy(entry -> assertThat(entry.content()).isNull())
        .allSatisfy(entry -> assertThat(entry.state()).isEqualTo(State.FINISHED));
  }

  private static Duration later(ClaimedMessage held) {
    return Duration.ofHours(20 - Integer.parseInt(held.id().substring(3)));
  }

  @Test
  default void ack_cancelledDuringTheLease_isRemembered(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.CANCEL);
    ClaimedMessage held = InitialState.MARKED.arrange(partition, session);
    assertThat(session.ack(held, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(0, 0, 0, 0, 1);
    Outcome.OfSchedule kept = session.schedule(held.id(), partition.past());
    assertThat(kept.previous()).isEqualTo(State.FINISHED);
    assertThat(session.claimIds()).isEmpty();
  }

  @Test
  default void acks_ofBothKindsInOneCall_rememberOnlyTheirIds(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    IntStream.range(0, 40).forEach(i -> session.schedule("id " + i, partition.past()));
    List<Operation> acks = new ArrayList<>();
    for (ClaimedMessage held : session.hold(100, TestSession.LONG)) {
      long remember = held.id().endsWith("3") ? TestSession.LONG.toMillis() : 0;
      acks.add(new Operation.Ack(held.id(), held.token(), remember));
    }
    assertThat(session.apply(acks).outcomes())
        .containsOnly(new Outcome.OfSettlement(SettleOutcome.DONE));
    partition.expectCounts(0, 0, 0, 0, 4);
    List<Outcome> again =
        session
            .apply(
                IntStream.range(0, 40)
                    .mapToObj(
                        i ->
                            TestSession.scheduling(
                                "id " + i, partition.past(), IfPresent.KEEP, "again"))
                    .toList())
            .outcomes();
    for (int i = 0; i < 40; i++) {
      assertThat(((Outcome.OfSchedule) again.get(i)).outcome())
          .as("id %d", i)
          .isEqualTo(i % 10 == 3 ? ScheduleOutcome.KEPT : ScheduleOutcome.STORED);
    }
    partition.expectCounts(0, 36, 0, 0, 4);
  }

  @Test
  default void ack_rememberedInARepeatedCall_hasTheSameAnswerAndOneEffect(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    Call.Body ack =
        new Call.Apply(
            List.of(
                new Operation.Ack("a", held.token(), TestSession.LONG.toMillis()),
                TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "again")),
            null);
    Reply.Applied first = (Reply.Applied) session.send(ack);
    Reply.Applied second = (Reply.Applied) session.sendLastAgain(ack);
    assertThat(second.outcomes()).isEqualTo(first.outcomes());
    assertThat(first.outcomes().get(0)).isEqualTo(new Outcome.OfSettlement(SettleOutcome.DONE));
    assertThat(((Outcome.OfSchedule) first.outcomes().get(1)).previous()).isEqualTo(State.FINISHED);
    partition.expectCounts(0, 0, 0, 0, 1);
  }

  @Test
  default void purge_rememberedIds_forgetsThem(TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER, Capability.PURGE);
    ClaimedMessage held = InitialState.FINISHED.arrange(partition, session);
    assertThat(partition.purge(State.FINISHED)).isEqualTo(1);
    partition.expectCounts(0, 0, 0, 0, 0);
    assertThat(session.schedule(held.id(), partition.past()).outcome())
        .isEqualTo(ScheduleOutcome.STORED);
    assertThat(session.claimOne().attempt()).isEqualTo(1);
  }

  @Test
  default void replaced_rememberedId_canBeRememberedAgain(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.REMEMBER);
    ClaimedMessage first = InitialState.FINISHED.arrange(partition, session);
    session.schedule(first.id(), partition.past(), IfPresent.REPLACE, InitialState.NEW);
    partition.expectCounts(0, 1, 0, 0, 0);
    ClaimedMessage second = session.claimOne();
    assertThat(second.payload()).isEqualTo(InitialState.NEW);
    assertThat(session.ack(first, TestSession.LONG)).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(session.ack(second, TestSession.LONG)).isEqualTo(SettleOutcome.DONE);
    partition.expectCounts(0, 0, 0, 0, 1);
  }
}
