package io.punctual.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClientBusyException;
import io.punctual.Durability;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests which operations and claims share a call, and when the session sends calls. */
class PartitionSessionSendingTest extends PartitionSessionFixture {
  @Test
  void submit_first_opensASessionAndSendsNumberOne() {
    Result told = submit(schedule("a"));
    assertThat(partition.opened).containsExactly("client0");
    ScriptedPartition.Pending call = partition.next();
    assertThat(call.call().session()).isEqualTo("client0");
    assertThat(call.call().number()).isEqualTo(1);
    assertThat(call.call().lowestUnanswered()).isEqualTo(1);
    call.answer().complete(applied(STORED));
    assertThat(told.outcome).isEqualTo(STORED);
  }

  @Test
  void submit_twoUnderWay_theRestGathers() {
    for (int i = 0; i < 20; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(2);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().ids()).hasSize(18).startsWith("m2").endsWith("m19");
  }

  @Test
  void submit_manyUnderWay_twoCallsOnly() {
    List<Operation> many = new ArrayList<>();
    List<OperationCallback> tickets = new ArrayList<>();
    for (int i = 0; i < 4500; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Result());
    }
    session.submit(many, null, tickets);
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls).allSatisfy(call -> assertThat(call.ids()).hasSize(1000));
  }

  @Test
  void submit_batchingPartition_oneCallAndTheRestShareTheNext() {
    partition.prefersBatching = true;
    for (int i = 0; i < 20; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(1);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.calls).hasSize(1);
    assertThat(partition.next().ids()).hasSize(19).startsWith("m1").endsWith("m19");
  }

  @Test
  void submit_batchingPartitionWhenNotified_sharesOneCall() {
    partition.prefersBatching = true;
    submit(schedule("first"));
    List<Result> again = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      String id = "again" + i;
      session.submit(
          schedule("m" + i),
          null,
          new OperationCallback() {
            @Override
            public void completed(Outcome outcome, long firstSent) {
              again.add(submit(schedule(id)));
            }

            @Override
            public void failed(RuntimeException failure) {
              throw new AssertionError(failure);
            }
          });
    }
    partition.next().answer().complete(applied(STORED));
    partition.next().answer().complete(applied(STORED, STORED, STORED));
    assertThat(partition.calls).hasSize(1);
    ScriptedPartition.Pending shared = partition.next();
    assertThat(shared.ids()).containsExactly("again0", "again1", "again2");
    shared.answer().complete(applied(STORED, STORED, STORED));
    assertThat(again).allSatisfy(told -> assertThat(told.outcome).isEqualTo(STORED));
  }

  @Test
  void submit_batchingPartitionWithEnoughInFlight_sendsASecondCall() {
    partition.prefersBatching = true;
    List<Operation> many = new ArrayList<>();
    List<OperationCallback> tickets = new ArrayList<>();
    for (int i = 0; i < Partition.MANY_OPERATIONS; i++) {
      many.add(schedule("m" + i));
      tickets.add(new Result());
    }
    session.submit(many, null, tickets);
    submit(schedule("second"));
    submit(schedule("third"));
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().ids()).containsExactly("second");
  }

  @Test
  void claim_answeredOnABatchingPartition_operationsLeaveAtOnce() {
    partition.prefersBatching = true;
    int[] sent = new int[1];
    session.claim(
        new Call.Claim(1, 1000),
        new ClaimCallback() {
          @Override
          public void claimed(Reply.Claimed claimed, long firstSentNanos) {
            submit(schedule("meanwhile"));
            sent[0] = partition.calls.size();
          }

          @Override
          public void failed(RuntimeException reason) {}
        });
    partition.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(sent[0]).isEqualTo(1);
  }

  @Test
  void claim_batchingPartition_waitsForNothing() {
    partition.prefersBatching = true;
    submit(schedule("a"));
    session.claim(new Call.Claim(1, 1000), new ClaimResult());
    assertThat(partition.calls).hasSize(2);
    assertThat(partition.calls.getLast().call().body()).isInstanceOf(Call.Claim.class);
  }

  @Test
  void submitDeferrable_batchingPartition_lingersForAMillisecondAndSharesOneCall() {
    partition.prefersBatching = true;
    Result a = ack("a");
    timer.advanceMillis(0);
    Result b = ack("b");
    assertThat(partition.calls).isEmpty();
    timer.advanceMillis(1);
    ScriptedPartition.Pending shared = partition.next();
    assertThat(shared.ids()).containsExactly("a", "b");
    shared.answer().complete(applied(DONE, DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(b.outcome).isEqualTo(DONE);
    Result later = ack("later");
    assertThat(partition.calls).isEmpty();
    timer.advanceMillis(1);
    partition.next().answer().complete(applied(DONE));
    assertThat(later.outcome).isEqualTo(DONE);
  }

  @Test
  void submitDeferrable_thenSomebodyWaits_bothLeaveInTheirOrderAtOnce() {
    partition.prefersBatching = true;
    ack("a");
    submit(schedule("urgent"));
    assertThat(partition.next().ids()).containsExactly("a", "urgent");
    timer.advanceMillis(1);
    assertThat(partition.calls).isEmpty();
  }

  @Test
  void submitDeferrable_thenAClaim_leavesWithIt() {
    partition.prefersBatching = true;
    ack("a");
    session.claim(new Call.Claim(1, 1000), new ClaimResult());
    assertThat(partition.next().call().body()).isInstanceOf(Call.Claim.class);
    assertThat(partition.next().ids()).containsExactly("a");
    ack("b");
    assertThat(partition.calls).isEmpty();
  }

  @Test
  void submitDeferrable_whileACallIsUnderWay_staysOneCallAtATime() {
    partition.prefersBatching = true;
    submit(schedule("first"));
    ack("a");
    timer.advanceMillis(1);
    assertThat(partition.calls).hasSize(1);
    partition.next().answer().complete(applied(STORED));
    assertThat(partition.next().ids()).containsExactly("a");
  }

  @Test
  void submitDeferrable_partitionThatAnswersAtOnce_doesNotLinger() {
    ack("a");
    assertThat(partition.next().ids()).containsExactly("a");
  }

  @Test
  void submitDeferrable_thenClosed_leavesAtOnce() {
    partition.prefersBatching = true;
    Result a = ack("a");
    CompletableFuture<?> closed = session.close(Duration.ofSeconds(5));
    assertThat(closed).isNotDone();
    partition.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
    assertThat(closed).isDone();
  }

  @Test
  void submitDeferrable_enoughForACall_leavesAtOnce() {
    partition.prefersBatching = true;
    for (int i = 0; i < Partition.MANY_OPERATIONS; i++) {
      assertThat(partition.calls).isEmpty();
      ack("m" + i);
    }
    assertThat(partition.next().ids()).hasSize(Partition.MANY_OPERATIONS);
  }

  @Test
  void submitDeferrable_partitionCannotBeReached_isSentOnceItCan() {
    partition.prefersBatching = true;
    partition.openFailure = new Partition.NotSentException("down", null);
    Result a = ack("a");
    timer.advanceMillis(500);
    partition.openFailure = null;
    timer.advanceMillis(2000);
    partition.next().answer().complete(applied(DONE));
    assertThat(a.outcome).isEqualTo(DONE);
  }

  @Test
  void submit_differentDurability_callsOfTheirOwnInOrder() {
    submit(schedule("hold0"));
    submit(schedule("hold1"));
    submit(schedule("a"));
    session.submit(schedule("b"), new Durability(false, 1), new Result());
    submit(schedule("c"));
    List<List<String>> sent = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ScriptedPartition.Pending call = partition.next();
      sent.add(call.ids());
      call.answer().complete(applied(STORED));
    }
    assertThat(sent)
        .containsExactly(
            List.of("hold0"), List.of("hold1"), List.of("a"), List.of("b"), List.of("c"));
  }

  @Test
  void submit_beyondTheLimit_refusedAsBusyNotAsFull() {
    for (int i = 0; i < 5004; i++) {
      submit(schedule("m" + i));
    }
    assertThat(submit(schedule("more")).failure).isInstanceOf(ClientBusyException.class);
    assertThat(submit(new Operation.Ack("x", 1)).failure).isNull();
  }

  @Test
  void claimsKeepComing_anOperationHasTheNextTurn() {
    for (int i = 0; i < 200; i++) {
      session.claim(new Call.Claim(1, 1000), new ClaimResult());
    }
    assertThat(partition.calls).hasSize(64);
    submit(schedule("a"));
    assertThat(nextIsAClaim()).isTrue();
    partition.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
    assertThat(partition.calls.getLast().ids()).containsExactly("a");
    partition.next().answer().complete(noMessages());
    assertThat(nextIsAClaim()).isTrue();
  }

  @Test
  void operationsKeepComing_aClaimHasTheNextTurn() {
    for (int i = 0; i < 62; i++) {
      session.claim(new Call.Claim(1, 1000), new ClaimResult());
    }
    for (int i = 0; i < 10; i++) {
      submit(schedule("m" + i));
    }
    assertThat(partition.calls).hasSize(64);
    session.claim(new Call.Claim(1, 1000), new ClaimResult());
    ScriptedPartition.Pending apply = firstOfMany(false);
    apply.answer().complete(applied(STORED));
    assertThat(nextIsAClaim()).isTrue();
    submit(schedule("late"));
    firstOfMany(true).answer().complete(noMessages());
    assertThat(nextIsAClaim()).isFalse();
  }
}
