package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.DeleteQueueOutcome;
import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Store;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Purge removes messages in exactly the given states. */
interface PurgeContract {
  @ParameterizedTest
  @EnumSource
  default void purge_oneState_leavesTheOthers(
      State state, TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    needs(state, partition);
    oneOfEach(partition, session);
    assertThat(partition.purge(state)).isEqualTo(1);
    partition.expectCounts(
        state == State.SCHEDULED ? 0 : 1,
        state == State.READY ? 0 : 1,
        state == State.LEASED ? 0 : 1,
        state == State.DEAD ? 0 : 1,
        state == State.FINISHED ? 0 : done(partition));
    if (partition.has(Capability.BROWSE)) {
      for (State other : State.values()) {
        boolean stored = other != State.FINISHED || partition.has(Capability.REMEMBER);
        assertThat(partition.find(other.name()).isPresent()).isEqualTo(other != state && stored);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  default void purge_allButOneState_leavesThatState(
      State state, TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    oneOfEach(partition, session);
    Set<State> others = EnumSet.complementOf(EnumSet.of(state));
    needs(state, partition);
    assertThat(partition.purge(others.toArray(State[]::new)))
        .isEqualTo(3 + (state == State.FINISHED ? 1 : done(partition)));
    PartitionCounts counts = partition.counts();
    assertThat(
            counts.scheduled()
                + counts.ready()
                + counts.leased()
                + counts.dead()
                + counts.finished())
        .isEqualTo(1);
    assertThat(partition.purge(state)).isEqualTo(1);
    assertThat(partition.purge(State.values())).isZero();
    partition.expectCounts(0, 0, 0, 0);
  }

  private static void needs(State state, TestPartition partition) {
    if (state == State.FINISHED) {
      partition.needs(Capability.REMEMBER);
    }
  }

  private static int done(TestPartition partition) {
    return partition.has(Capability.REMEMBER) ? 1 : 0;
  }

  private static void oneOfEach(TestPartition partition, TestSession session) {
    if (partition.has(Capability.REMEMBER)) {
      session.schedule("FINISHED", partition.past());
      session.ack(session.claimOne(), TestSession.LONG);
    }
    session.schedule("LEASED", partition.past());
    session.claimOne();
    session.schedule("DEAD", partition.past());
    session.bury(session.claimOne(), "why");
    session.schedule("READY", partition.past());
    session.schedule("SCHEDULED", partition.far());
    partition.expectCounts(1, 1, 1, 1, done(partition));
  }

  @Test
  default void purge_noState_removesNothing(TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    session.schedule("a", partition.past());
    assertThat(partition.purge()).isZero();
    partition.expectCounts(0, 1, 0, 0);
  }

  @Test
  default void purge_unknownQueue_removesNothingAndCreatesNothing(TestPartition partition) {
    partition.needs(Capability.PURGE);
    String unknown = "contract-" + TestSession.newId();
    Store store = partition.store();
    for (Partition each : StoreResults.await(store.partitions(unknown))) {
      assertThat(StoreResults.await(each.purge(EnumSet.allOf(State.class)))).isZero();
    }
    assertThat(StoreResults.await(store.delete(unknown))).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
  }

  @Test
  default void purge_becomesReadyMeanwhile_isRemoved(TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    for (int i = 0; i < 100; i++) {
      session.schedule("a", new DueTime(true, 1 + i % 2));
      assertThat(partition.purge(State.SCHEDULED, State.READY)).isEqualTo(1);
    }
  }

  @Test
  default void purge_leased_refusesSettlementsAndExpires(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    assertThat(partition.purge(State.LEASED)).isEqualTo(1);
    assertThat(session.extend(held, TestSession.LONG)).isEqualTo(SettleOutcome.LEASE_LOST);
    assertThat(session.retry(held, partition.past(), "why")).isEqualTo(SettleOutcome.LEASE_LOST);
    partition.expectCounts(0, 0, 0, 0);
    session.schedule("a", partition.past(), IfPresent.REJECT, "new");
    ClaimedMessage again = session.claimOne();
    assertThat(again.attempt()).isEqualTo(1);
    assertThat(again.history()).isEmpty();
    assertThat(session.ack(held)).isEqualTo(SettleOutcome.LEASE_LOST);
  }

  @ParameterizedTest
  @EnumSource(names = {"LEASED", "EXPIRED", "MARKED", "EXPIRED_MARKED"})
  default void purge_leasedInEachStanding_removesIt(
      InitialState state, TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    state.arrange(partition, session);
    assertThat(partition.purge(State.SCHEDULED, State.READY, State.DEAD)).isZero();
    assertThat(partition.purge(State.LEASED)).isEqualTo(1);
    partition.expectCounts(0, 0, 0, 0);
  }

  @ParameterizedTest
  @EnumSource
  default void purge_thousands_removesAll(
      State state, TestPartition partition, TestSession session) {
    partition.needs(Capability.PURGE);
    needs(state, partition);
    for (int batch = 0; batch < 3; batch++) {
      fill(partition, session, state, batch);
    }
    assertThat(partition.purge(state)).isEqualTo(3000);
    partition.expectCounts(0, 0, 0, 0);
    assertThat(session.claimIds()).isEmpty();
  }

  private static void fill(TestPartition partition, TestSession session, State state, int batch) {
    session.apply(
        IntStream.range(0, 1000)
            .mapToObj(
                i ->
                    TestSession.scheduling(
                        batch + "-" + i,
                        state == State.SCHEDULED ? partition.far(i % 3) : partition.past(i % 3),
                        IfPresent.KEEP,
                        "payload"))
            .toList());
    if (state == State.LEASED || state == State.DEAD || state == State.FINISHED) {
      List<ClaimedMessage> held = session.hold(1000, TestSession.LONG);
      if (state == State.DEAD) {
        session.apply(held.stream().map(PurgeContract::burying).toList());
      } else if (state == State.FINISHED) {
        session.apply(held.stream().map(PurgeContract::finishing).toList());
      }
    }
  }

  private static Operation finishing(ClaimedMessage held) {
    return new Operation.Ack(held.id(), held.token(), TestSession.LONG.toMillis());
  }

  private static Operation burying(ClaimedMessage held) {
    return new Operation.Bury(held.id(), held.token(), new byte[0]);
  }
}
