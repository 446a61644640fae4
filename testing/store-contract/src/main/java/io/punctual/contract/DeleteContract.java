package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.IfPresent;
import io.punctual.QueueLimits;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Deleting a queue makes the store forget an empty queue, and never removes a message. */
interface DeleteContract {
  @Test
  default void delete_unknownQueue_notFound(TestPartition partition) {
    assertThat(StoreResults.await(partition.store().delete("contract-" + TestSession.newId())))
        .isEqualTo(DeleteQueueOutcome.NOT_FOUND);
  }

  @Test
  default void delete_emptyQueue_forgetsIt(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.ack(session.claimOne());
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(StoreResults.await(partition.store().queues())).doesNotContain(name(partition));
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    assertThat(StoreResults.await(partition.store().queues())).doesNotContain(name(partition));
  }

  @ParameterizedTest
  @EnumSource
  default void delete_messageInOneState_removesNothing(
      State state, TestPartition partition, TestSession session) {
    if (state == State.FINISHED) {
      partition.needs(Capability.REMEMBER);
    }
    session.schedule("a", state == State.SCHEDULED ? partition.far() : partition.past());
    if (state == State.LEASED || state == State.DEAD || state == State.FINISHED) {
      ClaimedMessage held = session.claimOne();
      if (state == State.DEAD) {
        session.bury(held, "why");
      } else if (state == State.FINISHED) {
        session.ack(held, TestSession.LONG);
      }
    }
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
    partition.expectCounts(
        state == State.SCHEDULED ? 1 : 0,
        state == State.READY ? 1 : 0,
        state == State.LEASED ? 1 : 0,
        state == State.DEAD ? 1 : 0,
        state == State.FINISHED ? 1 : 0);
    assertThat(StoreResults.await(partition.store().queues())).contains(name(partition));
    assertThat(session.schedule("b", partition.far()).outcome()).isEqualTo(ScheduleOutcome.STORED);
  }

  @Test
  default void delete_messageInAnotherPartition_removesNothing(
      TestPartition partition, TestSession session) {
    assumeTrue(partition.partitions().size() > 1, "The store has one partition a queue");
    TestSession first = partition.newSession(partition.partitions().get(0));
    first.schedule("a", partition.past());
    session.schedule("b", partition.past());
    session.ack(session.claimOne());
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
    assertThat(first.claimOne().id()).isEqualTo("a");
  }

  @Test
  default void delete_messageInAnyPartition_allPartitionsStayPausedAndLimited(
      TestPartition partition) {
    partition.needs(Capability.LIMITS);
    QueueLimits limits = QueueLimits.none().concurrency(partition.whole(2));
    partition.limitAll(limits);
    partition.partitions().forEach(each -> StoreResults.await(each.pause(true)));
    for (Partition each : partition.partitions()) {
      TestSession session = partition.newSession(each);
      session.schedule("a", partition.far());
      assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      for (Partition one : partition.partitions()) {
        PartitionCounts counts = StoreResults.await(one.counts());
        assertThat(counts.paused()).isTrue();
        assertThat(counts.limits()).isEqualTo(limits);
      }
      session.cancel("a");
    }
  }

  @Test
  default void delete_livingSession_endsAndTheNextRecreatesTheQueue(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    session.ack(held);
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(session.sendFirst(session.last() + 1, scheduling("b", partition)))
        .isEqualTo(new Reply.NoSession());
    TestSession next = partition.newSession();
    next.schedule("b", partition.past());
    assertThat(StoreResults.await(partition.store().queues())).contains(name(partition));
    ClaimedMessage again = next.claimOne();
    assertThat(again.id()).isEqualTo("b");
    assertThat(again.token()).isGreaterThan(held.token());
  }

  @Test
  default void delete_livingWorker_itsClaimEndsWithoutSession(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past());
    session.ack(session.claimOne());
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(session.sendFirst(session.last() + 1, new Call.Claim(1, 1000)))
        .isEqualTo(new Reply.NoSession());
  }

  @Test
  default void delete_pausedQueue_nextOneIsNotPaused(TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    session.schedule("a", partition.past());
    session.ack(session.claimOne());
    partition.pause(true);
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
    partition.newSession().schedule("b", partition.past());
    assertThat(partition.counts().paused()).isFalse();
  }

  @Test
  default void delete_queueThatWasOnlyPaused_forgetsIt(TestPartition partition) {
    partition.needs(Capability.PAUSE);
    partition.pause(true);
    assertThat(StoreResults.await(partition.store().queues())).contains(name(partition));
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
    assertThat(partition.counts().paused()).isFalse();
    assertThat(StoreResults.await(partition.store().queues())).doesNotContain(name(partition));
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
  }

  @Test
  default void queues_pausedAndResumed_namesTheQueue(TestPartition partition) {
    partition.needs(Capability.PAUSE);
    partition.pause(true);
    partition.pause(false);
    assertThat(StoreResults.await(partition.store().queues())).contains(name(partition));
    assertThat(delete(partition)).isEqualTo(DeleteQueueOutcome.DELETED);
  }

  /**
   * A producer and a consumer open new sessions after each deletion; each message arrives exactly
   * once.
   */
  @Test
  default void delete_duringSchedulesAndClaims_losesNoMessage(TestPartition partition) {
    int messages = 300;
    CompletableFuture<Integer> produced =
        CompletableFuture.supplyAsync(() -> produce(partition, messages));
    CompletableFuture<List<String>> consumed =
        CompletableFuture.supplyAsync(() -> consume(partition, messages));
    while (!consumed.isDone()) {
      delete(partition);
    }
    assertThat(produced.join()).isEqualTo(messages);
    assertThat(consumed.join()).hasSize(messages).doesNotHaveDuplicates();
    partition.expectCounts(0, 0, 0, 0);
  }

  private static int produce(TestPartition partition, int messages) {
    TestSession session = partition.newSession();
    int sent = 0;
    while (sent < messages) {
      Reply reply = session.sendFirst(session.last() + 1, scheduling("m" + sent, partition));
      if (reply instanceof Reply.Applied) {
        session.carriedOut();
        sent++;
      } else {
        assertThat(reply).isEqualTo(new Reply.NoSession());
        session = partition.newSession();
      }
    }
    return sent;
  }

  private static List<String> consume(TestPartition partition, int messages) {
    List<String> ids = new ArrayList<>();
    TestSession session = partition.newSession();
    while (ids.size() < messages) {
      Reply reply =
          session.sendFirst(session.last() + 1, new Call.Claim(Partition.MAX_PAGE, 3_600_000));
      if (reply instanceof Reply.Claimed claimed) {
        session.carriedOut();
        for (Reply.Leased leased : claimed.messages()) {
          ids.add(leased.id());
          session.ack(ClaimedMessage.of(leased, claimed, 3_600_000));
        }
      } else {
        assertThat(reply).isEqualTo(new Reply.NoSession());
        session = partition.newSession();
      }
    }
    return ids;
  }

  private static Call.Apply scheduling(String id, TestPartition partition) {
    return new Call.Apply(
        List.of(TestSession.scheduling(id, partition.past(), IfPresent.KEEP, id)), null);
  }

  private static DeleteQueueOutcome delete(TestPartition partition) {
    return StoreResults.await(partition.store().delete(name(partition)));
  }

  private static String name(TestPartition partition) {
    return partition.partition().queue();
  }
}
