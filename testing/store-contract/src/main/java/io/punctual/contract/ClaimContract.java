package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the messages that a claim takes, their order and their number. */
interface ClaimContract {
  @Test
  default void claim_dueMessages_earliestDueFirst(TestPartition partition, TestSession session) {
    for (int i : new int[] {3, 0, 4, 1, 2}) {
      session.schedule("m" + i, partition.past(i));
    }
    assertThat(session.hold(2, TestSession.LONG))
        .extracting(ClaimedMessage::id)
        .containsExactly("m0", "m1");
    assertThat(session.claimIds()).containsExactly("m2", "m3", "m4");
  }

  /**
   * Clients generate increasing ids, so a producer's messages with equal due times keep their order
   * on each store.
   */
  @Test
  default void claim_equalDueTimesAndIncreasingIds_inTheOrderOfTheirSchedules(
      TestPartition partition, TestSession session) {
    List<String> ids = IntStream.range(0, 300).mapToObj("m%03d"::formatted).toList();
    DueTime aheadOrPast = partition.past(600_100);
    for (int from = 0; from < ids.size(); from += 100) {
      session.apply(
          ids.subList(from, from + 100).stream()
              .map(id -> TestSession.scheduling(id, aheadOrPast, IfPresent.KEEP, id))
              .toList());
      partition.advance(Duration.ofMillis(7));
    }
    partition.advance(Duration.ofMillis(100));
    assertThat(session.hold(150, TestSession.LONG))
        .extracting(ClaimedMessage::id)
        .isEqualTo(ids.subList(0, 150));
    assertThat(session.claimIds()).isEqualTo(ids.subList(150, 300));
  }

  @Test
  default void claim_timesOfEveryMagnitude_earliestDueFirst(
      TestPartition partition, TestSession session) {
    List<String> ids = new ArrayList<>();
    for (long millis = -30_000_000_000_000L; millis < 0; millis /= 7) {
      ids.add("m" + ids.size());
      session.schedule(ids.get(ids.size() - 1), new DueTime(false, millis));
    }
    session.schedule("past", partition.past());
    ids.add("past");
    assertThat(session.claimIds()).isEqualTo(ids);
  }

  @Test
  default void claim_expiredLeaseAndDueMessage_leaseFirst(
      TestPartition partition, TestSession session) {
    session.schedule("leased", partition.past(2));
    session.claimOne(Duration.ofMillis(1));
    session.schedule("due", partition.past(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(session.claimIds()).containsExactly("leased", "due");
  }

  @Test
  default void claim_expiredLeases_earliestEndFirst(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past(1));
    ClaimedMessage a = session.claimOne(TestSession.LONG);
    session.schedule("b", partition.past(2));
    ClaimedMessage b = session.claimOne(TestSession.LONG);
    // The lease of b ends first, even if the store takes a long time between the two calls.
    session.extend(b, Duration.ofMillis(1));
    session.extend(a, Duration.ofMillis(30));
    partition.advance(Duration.ofMillis(40));
    assertThat(session.claimIds()).containsExactly("b", "a");
  }

  @Test
  default void claim_oneCall_oneTokenAndTheFirstAttempt(
      TestPartition partition, TestSession session) {
    session.schedule("a", partition.past(1));
    session.schedule("b", partition.past(2), IfPresent.KEEP, "of b");
    List<ClaimedMessage> held = session.hold(10, TestSession.LONG);
    assertThat(held).extracting(ClaimedMessage::token).containsOnly(held.get(0).token());
    assertThat(held.get(0).token()).isPositive();
    assertThat(held).extracting(ClaimedMessage::attempt).containsExactly(1, 1);
    assertThat(held).extracting(ClaimedMessage::history).containsExactly("", "");
    assertThat(held).extracting(ClaimedMessage::payload).containsExactly("a", "of b");
    assertThat(held)
        .extracting(one -> one.message().dueMillis())
        .containsExactly(partition.past(1).millis(), partition.past(2).millis());
  }

  @Test
  default void claim_limitOne_takesOneAndReportsMore(TestPartition partition, TestSession session) {
    session.schedule("a", partition.past(1));
    session.schedule("b", partition.past(2));
    Reply.Claimed first = session.claim(1, TestSession.LONG);
    assertThat(first.messages()).extracting(Reply.Leased::id).containsExactly("a");
    assertThat(first.untilNextMicros()).isZero();
    partition.expectCounts(0, 1, 1, 0);
  }

  @Test
  default void claim_largePayloads_cutAtAMebibyteBeyondTheFirst(
      TestPartition partition, TestSession session) {
    int size = 400 << 10;
    for (int i = 0; i < 6; i++) {
      session.apply(large("m" + i, partition.past(i), size));
    }
    List<String> ids = new ArrayList<>();
    while (ids.size() < 6) {
      Reply.Claimed claimed = session.claim(10, TestSession.LONG);
      assertThat(claimed.messages()).hasSizeBetween(1, 4);
      claimed.messages().forEach(message -> ids.add(message.id()));
      assertThat(claimed.untilNextMicros() == 0).isEqualTo(ids.size() < 6);
    }
    assertThat(ids).containsExactly("m0", "m1", "m2", "m3", "m4", "m5");
  }

  @Test
  default void claim_firstPayloadAloneBeyondTheLimit_isDelivered(
      TestPartition partition, TestSession session) {
    session.apply(large("large", partition.past(), 3 << 20));
    session.schedule("small", partition.past(1));
    assertThat(session.claim(1, TestSession.LONG).messages().get(0).content().payload())
        .hasSize(3 << 20);
    assertThat(session.claimIds()).containsExactly("small");
  }

  @Test
  default void claim_marksThatRanOut_removedAndNotCounted(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    for (int i = 0; i < 5; i++) {
      session.schedule("marked" + i, partition.past());
    }
    session.claim(5, Duration.ofMillis(1));
    for (int i = 0; i < 5; i++) {
      session.cancel("marked" + i);
    }
    session.schedule("a", partition.past());
    session.schedule("b", partition.past(1));
    partition.advance(Duration.ofMillis(3));
    assertThat(session.hold(2, TestSession.LONG))
        .extracting(ClaimedMessage::id)
        .containsExactly("a", "b");
    partition.expectCounts(0, 0, 2, 0);
  }

  @Test
  default void claim_thousandsOfMarksThatRanOut_worksThroughThemInBoundedSteps(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.CANCEL);
    List<Operation> extensions = new ArrayList<>();
    for (int batch = 0; batch < 3; batch++) {
      extensions.addAll(leaseAndCancel(partition, session, batch));
    }
    for (int batch = 0; batch < 3; batch++) {
      session.apply(extensions.subList(batch * 1000, batch * 1000 + 1000));
    }
    session.schedule("a", partition.past());
    partition.advance(Duration.ofMillis(3));
    List<ClaimedMessage> held = new ArrayList<>();
    for (int claims = 0; held.isEmpty() && claims < 100; claims++) {
      Reply.Claimed claimed = session.claim(1, TestSession.LONG);
      claimed.messages().forEach(message -> held.add(ClaimedMessage.of(message, claimed, 0)));
      assertThat(claimed.untilNextMicros() == 0 || !held.isEmpty()).isTrue();
    }
    assertThat(held).extracting(ClaimedMessage::id).containsExactly("a");
    partition.expectCounts(0, 0, 1, 0);
  }

  private static List<Operation> leaseAndCancel(
      TestPartition partition, TestSession session, int batch) {
    List<String> ids = IntStream.range(0, 1000).mapToObj(i -> batch + "-" + i).toList();
    session.apply(
        ids.stream()
            .map(id -> TestSession.scheduling(id, partition.past(), IfPresent.KEEP, "payload"))
            .toList());
    long token = session.claim(1000, TestSession.LONG).token();
    session.apply(ids.stream().map(Operation.Cancel::new).toList());
    return ids.stream().<Operation>map(id -> new Operation.Extend(id, token, 1)).toList();
  }

  private static Operation large(String id, DueTime due, int size) {
    return new Operation.Schedule(id, due, IfPresent.KEEP, Content.of(new byte[size]));
  }
}
