package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StepTimer;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.internal.runtime.TestEnvironment;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.PartitionSession;
import io.punctual.internal.session.ScriptedPartition;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The two sessions with a partition that executes claims and operations at the same time. */
final class PartitionClientTest {
  private static final Call.Claim CLAIM = new Call.Claim(1, 60_000);

  private final StepTimer timer = new StepTimer();
  private final Environment env = TestEnvironment.of(timer);
  private final ScriptedPartition claims = new ScriptedPartition();
  private final ScriptedPartition partition = new ScriptedPartition(claims);
  private final StoreHealth health = new StoreHealth("test:", env);
  private final List<PartitionSession> sessions = new ArrayList<>();
  private final PartitionClient client =
      new PartitionClient(
          partition,
          each -> {
            PartitionSession session =
                new PartitionSession(
                    partition, each, env, health, "client" + sessions.size(), () -> {});
            sessions.add(session);
            return session;
          },
          new SafetyCheck(MemoryStore.builder().build(), env));

  private static final class Claimed implements ClaimCallback {
    boolean ended;

    @Override
    public void claimed(Reply.Claimed claimed, long firstSentNanos) {
      ended = true;
    }

    @Override
    public void failed(RuntimeException reason) {
      ended = true;
    }
  }

  private static final class Ignored implements OperationCallback {
    @Override
    public void completed(Outcome outcome, long firstSentNanos) {}

    @Override
    public void failed(RuntimeException reason) {}
  }

  private void ack(String id) {
    client
        .session()
        .submitDeferrable(List.of(new Operation.Ack(id, 1)), null, List.of(new Ignored()));
  }

  @Test
  void claimForWorker_operationWithoutAnswer_isSentAtTheSameTime() {
    client.session().submit(new Operation.Cancel("a"), null, new Ignored());
    client.claimForWorker(CLAIM, new Claimed());
    assertThat(partition.calls)
        .singleElement()
        .extracting(each -> each.call().number())
        .isEqualTo(1L);
    assertThat(claims.calls).singleElement().extracting(each -> each.call().number()).isEqualTo(1L);
    assertThat(partition.next().call().session()).isNotEqualTo(claims.next().call().session());
  }

  @Test
  void claimForWorker_acksLinger_sendsThem() {
    partition.prefersBatching = true;
    ack("a");
    assertThat(partition.calls).isEmpty();
    client.claimForWorker(CLAIM, new Claimed());
    assertThat(partition.calls).hasSize(1);
  }

  @Test
  void withdrawForWorker_claimThatWasNotSent_withdrawsIt() {
    claims.openFailure = new Partition.NotSentException("away", null);
    Claimed callback = new Claimed();
    client.claimForWorker(CLAIM, callback);
    assertThat(client.withdrawForWorker(callback)).isTrue();
    claims.openFailure = null;
    timer.advanceMillis(60_000);
    assertThat(claims.calls).isEmpty();
  }

  @Test
  void session_claimOfACaller_followsTheOperationsBefore() {
    client.session().submit(new Operation.Cancel("a"), null, new Ignored());
    client.session().claim(CLAIM, new Claimed());
    assertThat(partition.calls).extracting(each -> each.call().number()).containsExactly(1L, 2L);
    assertThat(claims.calls).isEmpty();
  }

  @Test
  void answer_toTheOtherSession_endsTheFailureOfThePartition() {
    partition.openFailure = new Partition.PartitionException("away", null);
    client.session().submit(new Operation.Cancel("a"), null, new Ignored());
    assertThat(health.status().reachable()).isFalse();
    client.claimForWorker(CLAIM, new Claimed());
    assertThat(health.status().reachable()).isTrue();
  }

  private static PartitionClient listening(Partition listened, Environment there) {
    StoreHealth health = new StoreHealth("test:", there);
    return new PartitionClient(
        listened,
        each -> new PartitionSession(listened, each, there, health, "client", () -> {}),
        new SafetyCheck(MemoryStore.builder().build(), there));
  }

  @Test
  void add_errorOfTheTimer_theNextListenerBeginsTheSafetyCheck() {
    AtomicInteger tries = new AtomicInteger();
    DueTimer failing =
        new DueTimer() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public Timeout schedule(long delayNanos, Runnable task) {
            if (tries.getAndIncrement() == 0) {
              throw new OutOfMemoryError("injected");
            }
            return () -> true;
          }
        };
    ScriptedPartition listened = new ScriptedPartition();
    PartitionClient listening = listening(listened, TestEnvironment.of(failing));
    assertThatThrownBy(() -> listening.add(until -> {})).isInstanceOf(OutOfMemoryError.class);
    listening.add(until -> {});
    assertThat(tries).hasValue(2);
    assertThat(listened.listeners).isOne();
  }

  @Test
  void remove_failsToRemoveTheListener_theNextAddListensAgain() {
    ScriptedPartition listened = new ScriptedPartition();
    listened.listening =
        () -> {
          throw new IllegalStateException("the connection is closed");
        };
    PartitionClient listening = listening(listened, env);
    Wakeable waiting = until -> {};
    listening.add(waiting);
    assertThatThrownBy(() -> listening.remove(waiting)).isInstanceOf(IllegalStateException.class);
    listening.add(waiting);
    assertThat(listened.listeners).isEqualTo(2);
  }

  @Test
  void moveTo_bothSessions_failsTheClaimAndMovesTheOperations() {
    partition.openFailure = new Partition.NotSentException("away", null);
    claims.openFailure = new Partition.NotSentException("away", null);
    Claimed claimed = new Claimed();
    client.session().submit(new Operation.Cancel("a"), null, new Ignored());
    client.claimForWorker(CLAIM, claimed);
    ScriptedPartition successor = new ScriptedPartition();
    PartitionSession there =
        new PartitionSession(successor, successor, env, health, "next", () -> {});
    CompletableFuture<?> moved =
        client.moveTo(id -> there, new Partition.PartitionCountException(1, null));
    timer.advanceMillis(60_000);
    assertThat(successor.calls).hasSize(1);
    assertThat(claimed.ended).isTrue();
    assertThat(moved).isDone();
  }

  @Test
  void close_claimWithoutAnswer_waitsForBothSessions() {
    Claimed callback = new Claimed();
    client.session().submit(new Operation.Cancel("a"), null, new Ignored());
    client.claimForWorker(CLAIM, callback);
    CompletableFuture<?> closed = client.close(Duration.ofSeconds(5));
    partition
        .next()
        .answer()
        .complete(
            new Reply.Applied(List.of(new Outcome.OfCancel(CancelOutcome.NOT_FOUND)), 1, null));
    assertThat(closed).isNotDone();
    claims.next().answer().complete(new Reply.Claimed(List.of(), List.of(), 1, 1, Reply.NONE));
    assertThat(closed).isDone();
    assertThat(callback.ended).isTrue();
  }
}
