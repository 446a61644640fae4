package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.QueueLimits;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests operations of the store that concern queues and partitions as a whole. */
interface StoreLevelContract {
  @Test
  default void describe_always_saysSomething(TestPartition partition) {
    assertThat(partition.store().describe()).isNotBlank();
    assertThat(partition.store().safetyCheckInterval(1)).isPositive();
  }

  @Test
  default void partitions_sameQueue_samePartitionsByIndex(
      TestPartition partition, TestSession session) {
    List<Partition> again =
        StoreResults.await(partition.store().partitions(partition.partition().queue()));
    assertThat(again).hasSameSizeAs(partition.partitions()).isNotEmpty();
    for (int index = 0; index < again.size(); index++) {
      assertThat(again.get(index).index()).isEqualTo(index);
      assertThat(again.get(index).queue()).isEqualTo(partition.partition().queue());
    }
    session.schedule("a", partition.past());
    Partition same = again.get(again.size() - 1);
    assertThat(StoreResults.await(same.counts()).ready()).isEqualTo(1);
    ClaimedMessage held = partition.newSession(same).claimOne();
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
  }

  @Test
  default void partitions_ofOneQueue_areIndependent(TestPartition partition, TestSession session) {
    assumeTrue(partition.partitions().size() > 1, "The store has one partition a queue");
    Partition first = partition.partitions().get(0);
    TestSession other = partition.newSession(first);
    session.schedule("a", partition.past());
    other.schedule("a", partition.past(), IfPresent.REJECT, "in the first partition");
    TestSession stranger = new TestSession(first, session.id());
    assertThat(stranger.send(1, 1, new Call.Claim(1, 1000))).isEqualTo(new Reply.NoSession());

    ClaimedMessage held = session.claimOne();
    assertThat(held.payload()).isEqualTo("a");
    assertThat(other.ack(held)).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(other.claimOne().payload()).isEqualTo("in the first partition");
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.DONE);
    assertThat(StoreResults.await(first.counts()).leased()).isEqualTo(1);
  }

  @Test
  default void ping_openStore_answersAndCreatesNoQueue(TestPartition partition) {
    String answer = StoreResults.await(partition.store().ping().thenApply(nothing -> "pong"));
    assertThat(answer).isEqualTo("pong");
    assertThat(StoreResults.await(partition.store().queues())).doesNotContain("ping");
  }

  @Test
  default void queues_oneHoldsMessages_namesIt(TestPartition partition, TestSession session) {
    session.schedule("a", partition.far());
    List<String> names = StoreResults.await(partition.store().queues());
    assertThat(names).contains(partition.partition().queue()).isSorted().doesNotHaveDuplicates();
  }

  @Test
  default void untilNext_manyPartitions_answeredInTheirOrder(
      TestPartition partition, TestSession session) {
    Store store = partition.store();
    List<Partition> partitions = new ArrayList<>(List.of(partition.partition()));
    for (int i = 0; i < 30; i++) {
      partitions.addAll(
          StoreResults.await(store.partitions(partition.partition().queue() + "." + i)));
    }
    session.schedule("far", partition.far());
    partition.newSession(partitions.get(7)).schedule("due", partition.past());

    long before = session.nowMicros();
    long[] until = StoreResults.await(store.untilNext(partitions));
    long after = session.nowMicros();
    assertThat(until).hasSize(partitions.size());
    assertThat(until[0])
        .isBetween(
            partition.far().millis() * 1000 - after, partition.far().millis() * 1000 - before);
    assertThat(until[7]).isZero();
    until[0] = Reply.NONE;
    until[7] = Reply.NONE;
    assertThat(until).containsOnly(Reply.NONE);
  }

  @Test
  default void untilNext_leased_saysUntilTheLeaseRunsOut(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMinutes(1));
    long before = session.nowMicros();
    long[] until = StoreResults.await(partition.store().untilNext(List.of(partition.partition())));
    long after = session.nowMicros();
    assertThat(until).hasSize(1);
    assertThat(until[0])
        .isBetween(
            held.leasedUntilMillis() * 1000 - after, held.leasedUntilMillis() * 1000 - before);
    session.bury(held, "why");
    assertThat(StoreResults.await(partition.store().untilNext(List.of(partition.partition()))))
        .containsExactly(Reply.NONE);
  }

  @Test
  default void untilNext_noPartitions_answersNothing(TestPartition partition) {
    assertThat(StoreResults.await(partition.store().untilNext(List.of()))).isEmpty();
  }

  @Test
  default void close_always_refusesLaterCalls(TestPartition same, StoreContract contract) {
    Store store = contract.newStore();
    Partition partition = StoreResults.await(store.partitions(same.partition().queue())).get(0);
    TestSession session =
        new TestSession(partition, same.unopenedSession(same.partitions().get(0)).id());
    StoreResults.await(partition.openSession(session.id(), null));
    session.nowMicros();
    store.close();
    store.close();
    assertThatThrownBy(session::nowMicros).isInstanceOf(Partition.NotSentException.class);
    assertThatThrownBy(() -> StoreResults.await(partition.openSession(TestSession.newId(), null)))
        .isInstanceOf(Partition.NotSentException.class);
    assertThatThrownBy(() -> StoreResults.await(partition.counts()))
        .isInstanceOf(Partition.NotSentException.class);
  }

  @Test
  default void capability_lacking_refusedByName(TestPartition partition) {
    Set<Capability> lacking = EnumSet.allOf(Capability.class);
    lacking.removeAll(partition.store().capabilities());
    for (Capability capability : lacking) {
      assertThatThrownBy(() -> use(capability, partition))
          .satisfies(
              thrown ->
                  assertThat(words(String.valueOf(thrown.getMessage())))
                      .contains(words(capability.name())));
    }
  }

  private static String words(String text) {
    return text.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static void use(Capability capability, TestPartition partition) {
    TestSession session = partition.newSession();
    switch (capability) {
      case CANCEL -> session.cancel("a");
      case RESCHEDULE -> session.runNow("a");
      case BROWSE -> partition.find("a");
      case FORECAST -> StoreResults.await(partition.partition().forecast(0, 1, 1));
      case PAUSE -> partition.pause(true);
      case PURGE -> partition.purge(State.DEAD);
      case DEAD_LETTERS -> session.redrive("a");
      case TRANSACTIONS -> partition.partition().applyIn(action -> {}, List.of());
      case REMEMBER -> session.settle(new Operation.Ack("a", 1, 1));
      case DURABILITY -> session.send(new Call.Apply(List.of(), Durability.NONE));
      case LIMITS -> partition.limits(QueueLimits.none());
      case WORKERS -> StoreResults.await(partition.store().announcements());
    }
  }

  @Test
  default void apply_durabilityNone_confirmed(TestPartition partition, TestSession session) {
    partition.needs(Capability.DURABILITY);
    Operation operation = TestSession.scheduling("a", partition.past(), IfPresent.KEEP, "payload");
    Reply reply = session.send(new Call.Apply(List.of(operation), Durability.NONE));
    assertThat(reply)
        .isInstanceOfSatisfying(
            Reply.Applied.class, applied -> assertThat(applied.confirmation()).isNull());
    assertThat(session.claimIds()).containsExactly("a");
  }
}
