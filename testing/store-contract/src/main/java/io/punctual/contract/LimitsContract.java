package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.DeleteQueueOutcome;
import io.punctual.QueueLimits;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.Store;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the limits of a queue: the rate and the concurrency of its claims. */
interface LimitsContract {
  /**
   * A period of a rate limit. It is so long that a used-up limit allows no further claim in a test.
   */
  Duration SLOW = Duration.ofHours(1);

  @Test
  default void claim_rateLimited_takesTheBurstAndWaitsForTheNextToken(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    int burst = 3;
    schedule(session, partition.past(), burst + 2);
    partition.limits(QueueLimits.none().rate(partition.whole(1), SLOW, partition.whole(3)));
    Reply.Claimed first = session.claim(burst - 1, TestSession.LONG);
    assertThat(first.messages()).hasSize(burst - 1);
    assertThat(first.untilNextMicros()).isZero();
    Reply.Claimed second = session.claim(10, TestSession.LONG);
    assertThat(second.messages()).hasSize(1);
    Reply.Claimed third = session.claim(10, TestSession.LONG);
    assertThat(third.messages()).isEmpty();
    expectWait(partition, third, SLOW);
    assertThat(StoreResults.await(partition.store().untilNext(List.of(partition.partition())))[0])
        .isPositive();
  }

  @Test
  default void claim_tokenHasArrived_takesTheNextMessage(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 10);
    Duration per = Duration.ofMillis(5L * partition.partitions().size());
    partition.limits(QueueLimits.none().rate(partition.whole(1), per, partition.whole(1)));
    long began = session.nowMicros();
    long step = LimitShare.micros(per);
    int taken = 0;
    while (taken < 4) {
      Reply.Claimed claimed = session.claim(10, TestSession.LONG);
      taken += claimed.messages().size();
      assertThat((taken - 1) * step).isLessThanOrEqualTo(claimed.engineMicros() - began);
      assertThat(claimed.untilNextMicros()).isLessThanOrEqualTo(step + 1_000);
      partition.advance(Duration.ofNanos(Math.max(1_000_000, claimed.untilNextMicros() * 1_000)));
    }
  }

  @Test
  default void claim_repeated_takesNoToken(TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 3);
    partition.limits(QueueLimits.none().rate(partition.whole(1), SLOW, partition.whole(2)));
    Call.Claim body = new Call.Claim(1, 3_600_000);
    session.send(body);
    assertThat(((Reply.Claimed) session.sendLastAgain(body)).messages()).hasSize(1);
    assertThat(session.claim(10, TestSession.LONG).messages()).hasSize(1);
  }

  @Test
  default void claim_concurrencyLimited_waitsForASettlement(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    try (WakeUpListener listening = WakeUpListener.to(partition)) {
      schedule(session, partition.past(), 4);
      partition.limits(QueueLimits.none().concurrency(partition.whole(2)));
      List<ClaimedMessage> held = session.hold(10, TestSession.LONG);
      assertThat(held).hasSize(2);
      Reply.Claimed full = session.claim(10, TestSession.LONG);
      assertThat(full.messages()).isEmpty();
      expectWait(partition, full, TestSession.LONG);
      listening.clear();
      session.ack(held.get(0));
      listening.awaitHint(WakeUpContract.AT_ONCE);
    }
    assertThat(session.claimIds()).hasSize(1);
    assertThat(session.claimIds()).isEmpty();
  }

  @Test
  default void claim_concurrencyLimited_expiredLeaseKeepsItsPlace(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 3);
    partition.limits(QueueLimits.none().concurrency(partition.whole(1)));
    ClaimedMessage first = session.claimOne(Duration.ofMillis(1));
    partition.advance(Duration.ofMillis(3));
    Reply.Claimed again = session.claim(10, TestSession.LONG);
    assertThat(again.messages()).extracting(Reply.Leased::id).containsExactly(first.id());
    assertThat(session.claimIds()).isEmpty();
  }

  @Test
  default void claim_concurrencyLoweredBelowTheLeased_removedMessagesFreeNoPlaceBeyondIt(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS, Capability.CANCEL);
    schedule(session, partition.past(), 8);
    partition.limits(QueueLimits.none().concurrency(partition.whole(5)));
    List<ClaimedMessage> held = session.hold(2, TestSession.LONG);
    session.hold(3, Duration.ofMillis(1)).forEach(each -> session.cancel(each.id()));
    partition.limits(QueueLimits.none().concurrency(partition.whole(1)));
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).as("two messages hold the only place").isEmpty();
    assertThat(partition.counts().ready()).isEqualTo(3);
    held.forEach(session::ack);
    assertThat(session.claimIds()).hasSize(1);
  }

  /**
   * Kills a consumer between its claim and its settlement: its session makes no further call. A
   * worker, a batch and a manual claim lease their messages; a take removes them.
   */
  @Test
  default void claim_consumerWasKilled_theQueueGoesOnWithinItsLease(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    Duration lease = Duration.ofSeconds(2);
    schedule(session, partition.past(), 12);
    partition.limits(
        QueueLimits.none().concurrency(partition.whole(2)).rate(1_000_000, SLOW, 100_000));
    for (boolean takes : List.of(true, false, true)) {
      TestSession killed = partition.newSession();
      assertThat(killed.claim(new Call.Claim(9, lease.toMillis(), takes)).messages()).hasSize(2);
      if (!takes) {
        assertThat(session.claim(9, lease).messages()).isEmpty();
        partition.advance(lease.plusMillis(1));
      }
      List<ClaimedMessage> next = session.hold(9, TestSession.LONG);
      assertThat(next).hasSize(2);
      next.forEach(session::ack);
    }
    assertThat(partition.counts().leased()).isZero();
    assertThat(partition.counts().ready()).isEqualTo(2);
  }

  @Test
  default void claimAtMostOnce_allPlacesTaken_takesNothingUntilAPlaceIsFree(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 6);
    partition.limits(QueueLimits.none().concurrency(partition.whole(2)));
    List<ClaimedMessage> held = session.hold(2, TestSession.LONG);
    Call.Claim take = new Call.Claim(9, 1_000, true);
    assertThat(session.claim(take).messages()).isEmpty();
    session.ack(held.get(0));
    Reply.Claimed taken = session.claim(take);
    assertThat(taken.messages()).hasSize(1);
    assertThat(taken.untilNextMicros()).as("the place is free again").isZero();
    assertThat(session.claim(take).messages()).hasSize(1);
    session.ack(held.get(1));
    assertThat(session.claim(take).messages()).hasSize(2);
    assertThat(partition.counts().leased()).isZero();
  }

  @Test
  default void claimAtMostOnce_takesExpiredLeasesOfAllPlaces_freesThemAtOnce(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 3);
    partition.limits(QueueLimits.none().concurrency(partition.whole(2)));
    Duration lease = Duration.ofMillis(20);
    assertThat(session.claim(9, lease).messages()).hasSize(2);
    partition.advance(lease.plusMillis(1));
    Reply.Claimed taken = session.claim(new Call.Claim(2, 1_000, true));
    assertThat(taken.messages()).hasSize(2);
    assertThat(taken.untilNextMicros()).as("the third message is due").isZero();
  }

  @Test
  default void limits_changedAndRemoved_applyToTheNextClaim(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.LIMITS);
    schedule(session, partition.past(), 5);
    QueueLimits one =
        QueueLimits.none()
            .rate(partition.whole(1), SLOW, partition.whole(1))
            .concurrency(partition.whole(1));
    partition.limits(one);
    partition.limits(one);
    assertThat(partition.counts().limits()).isEqualTo(one);
    assertThat(session.claimIds()).hasSize(1);
    partition.limits(one);
    assertThat(session.claimIds()).isEmpty();
    partition.limits(QueueLimits.none().concurrency(partition.whole(2)));
    assertThat(session.claimIds()).hasSize(1);
    partition.limits(QueueLimits.none());
    assertThat(partition.counts().limits()).isEqualTo(QueueLimits.none());
    assertThat(session.claimIds()).hasSize(3);
  }

  @Test
  default void limits_queueWithoutMessages_existsWhileItHasLimits(TestPartition partition) {
    partition.needs(Capability.LIMITS);
    String unknown = "contract-" + TestSession.newId();
    Store store = partition.store();
    List<Partition> all = StoreResults.await(store.partitions(unknown));
    all.forEach(each -> StoreResults.await(each.limits(QueueLimits.none())));
    assertThat(StoreResults.await(store.delete(unknown))).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    QueueLimits limits = QueueLimits.none().concurrency(all.size());
    all.forEach(each -> StoreResults.await(each.limits(limits)));
    assertThat(StoreResults.await(store.queues())).contains(unknown);
    assertThat(StoreResults.await(all.get(0).counts()).limits()).isEqualTo(limits);
    assertThat(StoreResults.await(store.delete(unknown))).isEqualTo(DeleteQueueOutcome.DELETED);
    Partition after = StoreResults.await(store.partitions(unknown)).get(0);
    assertThat(StoreResults.await(after.counts()).limits()).isEqualTo(QueueLimits.none());
  }

  @Test
  default void moveShares_givenAndReceived_movePlacesAndTokens(
      TestPartition partition, TestSession session) {
    needsShares(partition);
    Partition giver = partition.partitions().get(0);
    Partition receiver = partition.partition();
    try (WakeUpListener listening = WakeUpListener.to(partition)) {
      partition.limitAll(
          QueueLimits.none()
              .rate(partition.whole(4), SLOW, partition.whole(4))
              .concurrency(partition.whole(3)));
      schedule(session, partition.past(), 9);
      LimitUse before = use(giver);
      ShareLedger given = give(before.ledger(), receiver.index(), LimitShare.UNITS);
      assertThat(move(giver, before.ledger(), given).ledger()).isEqualTo(given);
      assertThat(session.claimIds()).as("the receiver has not received yet").hasSize(3);
      assertThat(session.claim(10, TestSession.LONG).isShort()).isTrue();
      LimitUse use = use(receiver);
      assertThat(use.leased()).isEqualTo(3);
      assertThat(use.hasDue()).isTrue();
      assertThat(use.hasExpired()).isFalse();
      listening.clear();
      ShareLedger received = receive(use.ledger(), giver.index(), LimitShare.UNITS, true);
      assertThat(move(receiver, use.ledger(), received).ledger()).isEqualTo(received);
      listening.awaitHint(WakeUpContract.AT_ONCE);
    }
    Reply.Claimed last = session.claim(10, TestSession.LONG);
    assertThat(last.messages()).as("the bucket keeps its tokens and receives none").hasSize(1);
    assertThat(last.isShort()).isTrue();
    expectWait(partition, last, SLOW);
    TestSession other = partition.newSession(giver);
    other.schedule("other", partition.past());
    assertThat(other.claimIds()).as("the giver has no share").isEmpty();
    partition.limitAll(QueueLimits.none().concurrency(partition.whole(3)));
    assertThat(session.claimIds()).as("a change of limits keeps the transfers").hasSize(2);
    assertThat(other.claimIds()).isEmpty();
  }

  @Test
  default void moveShares_oldLedger_changesNothing(TestPartition partition) {
    needsShares(partition);
    partition.limitAll(QueueLimits.none().concurrency(partition.whole(2)));
    Partition receiver = partition.partition();
    ShareLedger first = use(receiver).ledger();
    ShareLedger second = receive(first, 0, 100, false);
    ShareLedger third = receive(second, 0, 300, false);
    ShareLedger fourth = receive(third, 0, 400, true);
    assertThat(move(receiver, first, second).ledger()).isEqualTo(second);
    assertThat(move(receiver, first, second).ledger()).isEqualTo(second);
    assertThat(move(receiver, second, third).ledger()).isEqualTo(third);
    assertThat(move(receiver, first, second).ledger()).isEqualTo(third);
    partition.limitAll(QueueLimits.none());
    assertThat(move(receiver, third, fourth).limits()).isEqualTo(QueueLimits.none());
    partition.limitAll(QueueLimits.none().concurrency(partition.whole(3)));
    assertThat(use(receiver).ledger()).isEqualTo(fourth);
  }

  @Test
  default void moveShares_ofADeletedQueue_changesNothing(TestPartition partition) {
    needsShares(partition);
    QueueLimits limits = QueueLimits.none().concurrency(partition.whole(2));
    partition.limitAll(limits);
    Partition receiver = partition.partition();
    ShareLedger first = use(receiver).ledger();
    assertThat(StoreResults.await(partition.store().delete(receiver.queue())))
        .isEqualTo(DeleteQueueOutcome.DELETED);
    partition.advance(Duration.ofMillis(1));
    partition.limitAll(limits);
    ShareLedger late = receive(first, 0, LimitShare.UNITS, false);
    assertThat(move(receiver, first, late).ledger().places().units()).isEqualTo(LimitShare.UNITS);
  }

  @Test
  default void limitUse_neverLimitsOrOnePartition_isEmpty(TestPartition partition) {
    partition.needs(Capability.LIMITS);
    assertThat(StoreResults.await(partition.partition().limitUse())).isEmpty();
    if (partition.partitions().size() == 1) {
      partition.limits(QueueLimits.none().concurrency(1));
      assertThat(StoreResults.await(partition.partition().limitUse())).isEmpty();
    }
  }

  private static void needsShares(TestPartition partition) {
    partition.needs(Capability.LIMITS);
    assumeTrue(partition.partitions().size() > 1, "Queues of this store have a single partition");
  }

  /**
   * Expects the reply to say that the next message can be claimed after about {@code time}. If the
   * queue has several partitions, the reply must name at most {@link Partition#SHARES_MILLIS},
   * because shares of the limits may move to this partition.
   */
  private static void expectWait(TestPartition partition, Reply.Claimed claimed, Duration time) {
    long micros = time.toNanos() / 1_000;
    if (partition.partitions().size() > 1) {
      assertThat(claimed.untilNextMicros()).isBetween(1L, Partition.SHARES_MILLIS * 1_000L);
    } else {
      assertThat(claimed.untilNextMicros()).isBetween(micros - 60_000_000, micros + 1_000);
      assertThat(claimed.isShort()).isFalse();
    }
  }

  private static LimitUse use(Partition partition) {
    return StoreResults.await(partition.limitUse()).orElseThrow();
  }

  private static LimitUse move(Partition partition, ShareLedger expected, ShareLedger next) {
    return StoreResults.await(partition.moveShares(expected, next)).orElseThrow();
  }

  private static ShareLedger give(ShareLedger ledger, int to, long units) {
    return new ShareLedger(
        ledger.born(), ledger.rate().withGiven(to, units), ledger.places().withGiven(to, units));
  }

  private static ShareLedger receive(ShareLedger ledger, int from, long units, boolean withRate) {
    return new ShareLedger(
        ledger.born(),
        withRate ? ledger.rate().withReceived(from, units) : ledger.rate(),
        ledger.places().withReceived(from, units));
  }

  private static void schedule(TestSession session, DueTime due, int messages) {
    IntStream.range(0, messages).forEach(i -> session.schedule("m" + i, due));
  }
}
