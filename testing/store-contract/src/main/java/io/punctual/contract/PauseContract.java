package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.CancelOutcome;
import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.RescheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests pause and resume: the claims of a paused queue lease no further messages, and all other
 * operations work.
 */
interface PauseContract {
  @Test
  default void claim_paused_takesNothingAndHasNothingToWaitFor(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    session.schedule("due", partition.past());
    session.schedule("far", partition.far());
    partition.pause(true);
    Reply.Claimed claimed = session.claim(10, TestSession.LONG);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.untilNextMicros()).isEqualTo(Reply.NONE);
    assertThat(session.claim(0, TestSession.LONG).untilNextMicros()).isEqualTo(Reply.NONE);
    assertThat(StoreResults.await(partition.store().untilNext(List.of(partition.partition()))))
        .containsExactly(Reply.NONE);
    assertThat(partition.counts())
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(1, 1, 0, 0, 0, true));
  }

  @Test
  default void claim_resumed_takesPendingMessages(TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    partition.pause(true);
    partition.pause(true);
    session.schedule("b", partition.past(1));
    session.schedule("a", partition.past());
    partition.pause(false);
    partition.pause(false);
    assertThat(session.claimIds()).containsExactly("a", "b");
    assertThat(partition.counts().paused()).isFalse();
  }

  @Test
  default void pause_withANote_keepsItUntilTheNextPauseOrTheResume(TestPartition partition) {
    partition.needs(Capability.PAUSE);
    PauseNote first = new PauseNote("Müll: \u20ac ✈ 'quoted' \"text\"", "ann@host");
    PauseNote longest = new PauseNote("r".repeat(256), "b".repeat(256));
    PauseNote onlyName = new PauseNote("", "ops");
    for (PauseNote note : List.of(first, longest, onlyName, PauseNote.NONE, first)) {
      partition.pause(note);
      partition.pause(note);
      assertThat(partition.counts().paused()).isTrue();
      assertThat(partition.counts().pauseNote()).isEqualTo(note);
    }
    partition.pause(false);
    assertThat(partition.counts()).isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, false));
    partition.pause(true);
    assertThat(partition.counts()).isEqualTo(new PartitionCounts(0, 0, 0, 0, 0, true));
  }

  @Test
  default void pause_deletedQueue_keepsNoNote(TestPartition partition) {
    partition.needs(Capability.PAUSE);
    partition.pause(new PauseNote("a migration", "ann"));
    assertThat(StoreResults.await(partition.store().delete(partition.partition().queue())))
        .isEqualTo(DeleteQueueOutcome.DELETED);
    partition.pause(true);
    assertThat(partition.counts().pauseNote()).isEqualTo(PauseNote.NONE);
  }

  @Test
  default void pause_resumesUnknownQueue_createsNothing(TestPartition partition) {
    partition.needs(Capability.PAUSE);
    String unknown = "contract-" + TestSession.newId();
    Store store = partition.store();
    for (Partition each : StoreResults.await(store.partitions(unknown))) {
      StoreResults.await(each.pause(false));
      assertThat(StoreResults.await(each.counts()).paused()).isFalse();
    }
    assertThat(StoreResults.await(store.queues())).doesNotContain(unknown);
    assertThat(StoreResults.await(store.delete(unknown))).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
  }

  @Test
  default void pause_leasesRunOut_keptUntilResumed(TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne(Duration.ofMillis(1));
    partition.pause(true);
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).isEmpty();
    assertThat(session.extend(held, Duration.ofMillis(1))).isEqualTo(SettleOutcome.DONE);
    partition.pause(false);
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimOne().attempt()).isEqualTo(2);
  }

  @Test
  default void pause_everythingButClaims_goesOn(TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE, Capability.CANCEL, Capability.RESCHEDULE);
    List.of("acked", "retried", "released", "buried")
        .forEach(id -> session.schedule(id, partition.past()));
    List<ClaimedMessage> held = session.hold(10, TestSession.LONG);
    partition.pause(true);
    assertThat(held)
        .allSatisfy(
            one -> assertThat(settle(partition, session, one)).isEqualTo(SettleOutcome.DONE));
    session.schedule("new", partition.far());
    session.schedule("cancelled", partition.past());
    assertThat(session.cancel("cancelled")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(session.reschedule("new", partition.past(-1)))
        .isEqualTo(RescheduleOutcome.RESCHEDULED);
    assertThat(partition.counts())
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(0, 3, 0, 1, 0, true));
    partition.pause(false);
    assertThat(session.claimIds()).startsWith("new").contains("retried", "released").hasSize(3);
  }

  private static SettleOutcome settle(
      TestPartition partition, TestSession session, ClaimedMessage held) {
    return switch (held.id()) {
      case "acked" -> session.ack(held);
      case "retried" -> session.retry(held, partition.past(), "why");
      case "released" -> session.release(held);
      default -> session.bury(held, "why");
    };
  }

  @Test
  default void claim_sentAgainWhilePaused_repeatsLeasedMessages(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.PAUSE);
    session.schedule("a", partition.past());
    Call.Claim body = new Call.Claim(1, 3_600_000);
    session.send(body);
    partition.pause(true);
    Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(body);
    assertThat(again.messages()).extracting(Reply.Leased::id).containsExactly("a");
  }
}
