package io.punctual.memory;

import static io.punctual.memory.PartitionClient.ids;
import static io.punctual.memory.PartitionClient.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Tests details of the memory store. The contract suite tests the behaviour that all stores share.
 */
class MemoryPartitionTest {
  private final SetClock clock = new SetClock();
  private final MemoryPartition partition =
      new MemoryQueue("orders", 1, clock, new ExistingQueues()).partitions().get(0);
  private final PartitionClient client = new PartitionClient(partition, "a");

  @Test
  void claim_untilNextWaitedExactly_findsTheMessage() {
    clock.advanceMicros(250);
    client.schedule("m", 1_500);
    long untilNext = client.claim(1).untilNextMicros();
    assertThat(untilNext).isEqualTo(1_500_750);
    clock.advanceMicros(untilNext - 1);
    assertThat(client.claim(1).messages()).isEmpty();
    clock.advanceMicros(1);
    assertThat(ids(client.claim(1))).containsExactly("m");
  }

  @Test
  void claim_equalDueTimes_comeInOrderOfArrival() {
    for (int i = 0; i < 100; i++) {
      client.schedule("m" + i, 5_000);
    }
    clock.advance(Duration.ofSeconds(6));
    List<String> claimed = ids(client.claim(60));
    claimed = new ArrayList<>(claimed);
    claimed.addAll(ids(client.claim(60)));
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      expected.add("m" + i);
    }
    assertThat(claimed).isEqualTo(expected);
  }

  @Test
  void claim_scheduledInThePast_comesBeforeWhatWasReadyAlready() {
    for (int i = 0; i < 10; i++) {
      client.schedule("ready" + i, 1_000 + i);
    }
    clock.advance(Duration.ofSeconds(2));
    assertThat(ids(client.claim(3))).containsExactly("ready0", "ready1", "ready2");
    client.schedule("past", at(500), IfPresent.KEEP);
    client.schedule("between", at(1_005), IfPresent.KEEP);
    assertThat(ids(client.claim(5)))
        .containsExactly("past", "ready3", "ready4", "ready5", "between");
  }

  @Test
  void claim_clockSteppedBack_isNeverEarlyAndLosesNothing() {
    client.schedule("a", 10_000);
    client.schedule("b", 11_000);
    clock.advance(Duration.ofSeconds(12));
    assertThat(ids(client.claim(1, 60_000))).containsExactly("a");
    clock.advance(Duration.ofHours(-1));
    Reply.Claimed tooEarly = client.claim(10);
    assertThat(tooEarly.messages()).isEmpty();
    assertThat(tooEarly.untilNextMicros()).isEqualTo(Duration.ofSeconds(3_599).toNanos() / 1_000);
    client.schedule("new", 5_000);
    clock.advance(Duration.ofSeconds(5));
    assertThat(ids(client.claim(10))).containsExactly("new");
    clock.advanceMicros(client.claim(10).untilNextMicros());
    assertThat(ids(client.claim(10))).contains("new");
    clock.advance(Duration.ofHours(2));
    assertThat(ids(client.claim(10))).contains("a", "b");
  }

  @Test
  void claim_clockJumpedAheadByYears_findsEverythingInOrder() {
    client.schedule("years", Duration.ofDays(3_000).toMillis());
    client.schedule("days", Duration.ofDays(3).toMillis());
    client.schedule("soon", 1);
    clock.advance(Duration.ofDays(40_000));
    assertThat(ids(client.claim(10))).containsExactly("soon", "days", "years");
  }

  @Test
  void claim_manyCancelledLeases_discardsThemInBoundedSteps() {
    int count = 3_000;
    for (int i = 0; i < count; i++) {
      client.schedule("m" + i, 0);
    }
    List<String> held = new ArrayList<>();
    while (held.size() < count) {
      held.addAll(ids(client.claim(Partition.MAX_PAGE, 1_000)));
    }
    held.forEach(id -> client.apply(new Operation.Cancel(id)));
    clock.advance(Duration.ofSeconds(1));
    client.schedule("last", 0);
    Reply.Claimed claimed = client.claim(10);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.untilNextMicros()).isZero();
    while (claimed.messages().isEmpty()) {
      assertThat(claimed.untilNextMicros()).isZero();
      claimed = client.claim(10);
    }
    assertThat(ids(claimed)).containsExactly("last");
    assertThat(counts()).isEqualTo(new PartitionCounts(0, 0, 1, 0, 0, false));
  }

  @Test
  void claim_bigPayloads_isCutShortAndSaysSo() {
    Content big = Content.of(new byte[400_000]);
    for (int i = 0; i < 5; i++) {
      client.apply(new Operation.Schedule("m" + i, DueTime.NOW, IfPresent.KEEP, big));
    }
    Reply.Claimed claimed = client.claim(10);
    assertThat(ids(claimed)).containsExactly("m0", "m1", "m2");
    assertThat(claimed.untilNextMicros()).isZero();
    assertThat(ids(client.claim(10))).containsExactly("m3", "m4");
  }

  @Test
  void call_durabilityAskedFor_isRefusedAndTheNumberIsStillExpected() {
    Call refused = client.next(new Call.Apply(List.of(), new Durability(false, 1)));
    assertThatThrownBy(() -> client.call(refused))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(Partition.PartitionException.class)
        .hasMessageContaining("durability");
    Call same = new Call("a", refused.number(), 1, new Call.Apply(List.of(), null));
    assertThat(client.call(same)).isInstanceOf(Reply.Applied.class);
  }

  @Test
  void call_beyondItsLimits_isRefused() {
    List<Operation> tooMany = new ArrayList<>();
    for (int i = 0; i <= Partition.MAX_OPERATIONS; i++) {
      tooMany.add(new Operation.Cancel("m" + i));
    }
    for (Call.Body body :
        List.of(
            new Call.Apply(tooMany, null),
            new Call.Claim(Partition.MAX_PAGE + 1, 1),
            new Call.Claim(-1, 1),
            new Call.Claim(1, 0))) {
      assertThatThrownBy(() -> join(partition.call(new Call("a", 1, 1, body))))
          .cause()
          .isInstanceOf(Partition.PartitionException.class);
    }
  }

  @Test
  void call_fromAListener_isAnswered() {
    List<Reply> replies = new ArrayList<>();
    partition.onWakeUp(until -> replies.add(client.claim(10)));
    client.schedule("m", 0);
    assertThat(replies).hasSize(1);
    assertThat(ids((Reply.Claimed) replies.get(0))).containsExactly("m");
  }

  @Test
  void onWakeUp_listenerThrows_theCallSucceedsAndOthersAreCalled() {
    List<Long> hints = new ArrayList<>();
    partition.onWakeUp(
        until -> {
          throw new IllegalStateException("seeded by the test");
        });
    partition.onWakeUp(hints::add);
    client.schedule("m", 20);
    assertThat(hints).containsExactly(20_000L);
  }

  @Test
  void onWakeUp_earliestTimeGetsLower_isToldHowLong() {
    List<Long> hints = new ArrayList<>();
    Registration registration = partition.onWakeUp(hints::add);
    client.schedule("later", 50);
    client.schedule("latest", 70);
    client.schedule("sooner", 20);
    client.apply(new Operation.Cancel("sooner"));
    client.apply(new Operation.RunNow("latest"));
    join(partition.pause(true));
    client.schedule("unheard", 0);
    join(partition.pause(false));
    join(partition.pause(false));
    registration.close();
    registration.close();
    client.schedule("unheard too", at(-5), IfPresent.KEEP);
    assertThat(hints).containsExactly(50_000L, 20_000L, 0L, 0L);
  }

  @Test
  void onWakeUp_errorBetweenTwoOperations_isToldOfTheFirst() {
    List<Long> hints = new ArrayList<>();
    partition.onWakeUp(hints::add);
    List<Operation> operations =
        new AbstractList<>() {
          @Override
          public Operation get(int index) {
            if (index == 1) {
              throw new OutOfMemoryError("injected");
            }
            return new Operation.Schedule(
                "m", new DueTime(true, 20), IfPresent.KEEP, Content.of(PartitionClient.PAYLOAD));
          }

          @Override
          public int size() {
            return 2;
          }
        };
    assertThatThrownBy(() -> client.call(client.next(new Call.Apply(operations, null))))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(hints).containsExactly(20_000L);
  }

  @Test
  void browse_equalTimes_listsEachOnceInOrderOfIds() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      int shuffled = i * 7_919 % 10_000;
      client.schedule("m" + (100_000 + shuffled), 60_000);
      expected.add("m" + (100_000 + i));
    }
    assertThat(client.browse(State.SCHEDULED, 333)).isEqualTo(expected);
    assertThat(client.browse(State.READY, 333)).isEmpty();
    clock.advance(Duration.ofMinutes(2));
    assertThat(client.browse(State.READY, 1_000)).isEqualTo(expected);
    assertThat(client.browse(State.SCHEDULED, 1_000)).isEmpty();
  }

  @Test
  void browse_notACursor_fails() {
    for (String cursor : List.of("", "!", "MTI", "eDp5")) {
      assertThatThrownBy(() -> join(partition.browse(State.DEAD, cursor, 10)))
          .cause()
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor");
    }
  }

  @Test
  void purge_severalStates_leavesTheOthers() {
    client.schedule("ready", 0);
    client.schedule("leased", at(-1), IfPresent.KEEP);
    Reply.Claimed claimed = client.claim(1);
    client.schedule("scheduled", 1_000);
    client.schedule("dead", at(-1), IfPresent.KEEP);
    long token = client.claim(1).token();
    client.apply(new Operation.Bury("dead", token, new byte[] {1}));
    assertThat(counts())
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(1, 1, 1, 1, 0, false));

    assertThat(join(partition.purge(Set.of(State.SCHEDULED, State.LEASED)))).isEqualTo(2);
    assertThat(counts())
        .usingRecursiveComparison()
        .ignoringFields("overdueMillis")
        .isEqualTo(new PartitionCounts(0, 1, 0, 1, 0, false));
    assertThat(client.apply(new Operation.Ack("leased", claimed.token())))
        .containsExactly(new Outcome.OfSettlement(SettleOutcome.LEASE_LOST));
    assertThat(join(partition.purge(Set.of(State.READY, State.DEAD)))).isEqualTo(2);
    assertThat(client.apply(new Operation.Cancel("ready")))
        .containsExactly(new Outcome.OfCancel(CancelOutcome.NOT_FOUND));
    assertThat(client.claim(1).untilNextMicros()).isEqualTo(Reply.NONE);
  }

  @Test
  void forecast_farApartTimes_countsWhatFallsIntoTheSpans() {
    client.schedule("before", 999);
    client.schedule("first", 1_000);
    client.schedule("first too", 1_999);
    client.schedule("last", 10_999);
    client.schedule("after", 11_000);
    client.schedule("farthest", new DueTime(false, Long.MAX_VALUE), IfPresent.KEEP);
    client.schedule("earliest", new DueTime(false, Long.MIN_VALUE), IfPresent.KEEP);
    long[] forecast = join(partition.forecast(SetClock.START_MILLIS + 1_000, 1_000, 10));
    assertThat(forecast).containsExactly(2, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    assertThat(join(partition.forecast(Long.MIN_VALUE, Long.MAX_VALUE, 3)))
        .containsExactly(1, 5, 1);
  }

  private PartitionCounts counts() {
    return join(partition.counts());
  }

  private static DueTime at(long millisFromStart) {
    return new DueTime(false, SetClock.START_MILLIS + millisFromStart);
  }
}
