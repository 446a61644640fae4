package io.punctual.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import io.punctual.spi.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A take delivers each message at most once. A message that its caller can no longer receive, for
 * example after a cancel, is put back.
 */
@Timeout(300)
class TakeTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualWorld world = new ManualWorld();
  private final HeldClaims held = new HeldClaims();
  private final List<Punctual> clients = new ArrayList<>();

  @AfterEach
  void close() {
    held.answer();
    clients.forEach(client -> client.close(Duration.ZERO));
    world.close();
  }

  /** Returns a client of a store that holds its replies to claims until the test releases them. */
  private Punctual slow(Executor callbacks) {
    Punctual client =
        Punctual.builder()
            .store(held.of(world.store))
            .timer(world.clock)
            .callbackExecutor(callbacks)
            .observer(world.events::add)
            .build();
    clients.add(client);
    return client;
  }

  private TimedQueue<String> slowQueue() {
    return slow(Runnable::run).queue("orders", Codec.string());
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  private static CompletableFuture<List<Message<String>>> take(
      TimedQueue<String> queue, Duration wait) {
    return queue.async().take(10, wait).toCompletableFuture();
  }

  @Test
  void take_due_returnsItWithAllThatWasScheduledAndRemovesIt() {
    Instant due = world.clock.instant().plusMillis(500);
    Instant notAfter = due.plusSeconds(60);
    world.queue.schedule(
        Message.of("a").id("1").dueAt(due).header("tenant", "x").notAfter(notAfter));
    assertThat(world.queue.take(10, Duration.ZERO)).isEmpty();
    world.advance(SECOND);
    Message<String> taken = world.queue.take(10, Duration.ZERO).get(0);
    assertThat(taken.payload()).isEqualTo("a");
    assertThat(taken.id()).hasValue("1");
    assertThat(taken.due()).isEqualTo(Due.at(due));
    assertThat(taken.headers()).containsExactly(Map.entry("tenant", "x"));
    assertThat(taken.notAfter()).hasValue(notAfter);
    assertThat(world.queue.find("1")).isEmpty();
    assertThat(world.events(Event.MessageAcked.class)).hasSize(1);
  }

  @Test
  void take_scheduledAgain_isBack() {
    world.queue.schedule(Message.of("a").id("1"));
    world.queue.schedule(world.queue.take(1, Duration.ZERO).get(0));
    assertThat(world.queue.take(1, Duration.ZERO)).hasSize(1);
  }

  @Test
  void take_due_isOneCall() {
    List<Call.Body> calls = new ArrayList<>();
    HeldClaims recorded = new HeldClaims(body -> !calls.add(body));
    Punctual client = Punctual.builder().store(recorded.of(world.store)).timer(world.clock).build();
    clients.add(client);
    world.queue.schedule(Message.of("a").id("1"));
    assertThat(take(client.queue("orders", Codec.string()), SECOND)).isCompleted();
    world.advance(SECOND);
    assertThat(calls).singleElement().isInstanceOf(Call.Claim.class);
    assertThat(world.queue.find("1")).isEmpty();
  }

  @Test
  void take_cancelledAfterAFailedAttempt_isPutBackWithItsAttemptsAndFailures() {
    world.queue.schedule(Message.of("a").id("1"));
    world.queue.claim(1, ClaimOptions.DEFAULT.lease(SECOND)).get(0).retry(Duration.ZERO, "once");
    StoredMessage<String> before = find("1");
    CompletableFuture<List<Message<String>>> taken = take(slowQueue(), SECOND);
    taken.cancel(false);
    held.answer();
    assertThat(find("1")).usingRecursiveComparison().isEqualTo(before);
    assertThat(find("1").failures()).hasSize(1);
  }

  @Test
  void take_cancelledWithTheClaimInFlight_isPutBackAsItWas() {
    Instant due = world.clock.instant();
    world.queue.schedule(Message.of("a").id("1").dueAt(due).header("tenant", "x"));
    CompletableFuture<List<Message<String>>> taken = take(slowQueue(), SECOND);
    assertThat(world.queue.find("1")).isEmpty();
    taken.cancel(false);
    held.answer();
    assertThat(find("1").state()).isEqualTo(State.READY);
    assertThat(find("1").dueAt()).isEqualTo(due);
    assertThat(find("1").headers()).containsEntry("tenant", "x");
    assertThat(world.queue.take(10, Duration.ZERO)).hasSize(1);
  }

  @Test
  void take_cancelledBeforeTheExecutorRan_isPutBack() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    TimedQueue<String> queue = slow(tasks::add).queue("orders", Codec.string());
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken = take(queue, SECOND);
    held.answer();
    taken.cancel(false);
    tasks.forEach(Runnable::run);
    assertThat(find("1").state()).isEqualTo(State.READY);
  }

  @Test
  void take_executorDropsTheReplyAndTheClientCloses_isPutBackBeforeTheEnd() {
    Punctual client = slow(task -> {});
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken =
        take(client.queue("orders", Codec.string()), SECOND);
    held.answer();
    assertThat(world.queue.find("1")).isEmpty();
    client.close(Duration.ZERO);
    assertThat(world.events(Event.MessageReleased.class))
        .extracting(Event.MessageReleased::id)
        .containsExactly("1");
    assertThat(taken).isNotDone();
  }

  @Test
  void take_executorDropsTheReply_isPutBackWhenTheTimeIsOver() {
    Queue<Runnable> dropped = new ArrayDeque<>();
    TimedQueue<String> queue = slow(dropped::add).queue("orders", Codec.string());
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken = take(queue, SECOND);
    held.answer();
    world.advance(Duration.ofMinutes(2));
    assertThat(find("1").state()).isEqualTo(State.READY);
    dropped.forEach(Runnable::run);
    assertThatThrownBy(taken::join).hasMessageContaining("callbackExecutor");
    assertThat(find("1").state()).isEqualTo(State.READY);
  }

  @Test
  void take_executorDropsTheSettlementOfARejectedMessage_isReleasedAndDoesNotDelayTheClose() {
    AtomicInteger tasks = new AtomicInteger();
    List<Runnable> dropped = new ArrayList<>();
    Punctual client =
        slow(
            task -> {
              if (tasks.incrementAndGet() == 1) {
                task.run();
              } else {
                dropped.add(task);
              }
            });
    scheduleUndecodable("bad");
    CompletableFuture<List<Message<String>>> taken =
        take(client.queue("orders", Codec.string()), SECOND);
    held.answer();
    assertThat(dropped).hasSize(1);
    taken.cancel(false);
    assertThat(find("bad").state()).isEqualTo(State.LEASED);
    world.advance(Duration.ofSeconds(30));
    assertThat(find("bad").state()).isEqualTo(State.READY);
    dropped.forEach(Runnable::run);
    assertThat(find("bad").attempts()).isZero();
    assertThat(find("bad").failures()).isEmpty();
    client.close(Duration.ZERO);
  }

  @Test
  void take_executorDropsTheReplyAndTheCallerCancels_isPutBackAtOnce() {
    TimedQueue<String> queue = slow(task -> {}).queue("orders", Codec.string());
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken = take(queue, SECOND);
    held.answer();
    taken.cancel(false);
    assertThat(find("1").state()).isEqualTo(State.READY);
  }

  @Test
  void take_executorThrowsForOneOfThreeCallers_allReceiveMessages() {
    AtomicInteger tasks = new AtomicInteger();
    TimedQueue<String> queue =
        slow(task -> {
              if (tasks.incrementAndGet() == 1) {
                throw new IllegalStateException("not initialized");
              }
              task.run();
            })
            .queue("orders", Codec.string());
    List<CompletableFuture<List<Message<String>>>> takes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      takes.add(queue.async().take(1, Duration.ofMinutes(1)).toCompletableFuture());
    }
    held.answer();
    List.of("1", "2", "3").forEach(id -> world.queue.schedule(Message.of(id).id(id)));
    for (int i = 0; i < 10; i++) {
      held.answer();
      world.advance(SECOND);
    }
    assertThat(takes).allSatisfy(take -> assertThat(take.join()).hasSize(1));
    assertThat(world.queue.counts().ready()).isZero();
  }

  @Test
  void take_cancelledAndScheduledAgainMeanwhile_theNewMessageStays() {
    world.queue.schedule(Message.of("old").id("1"));
    CompletableFuture<List<Message<String>>> taken = take(slowQueue(), SECOND);
    taken.cancel(false);
    world.queue.schedule(Message.of("new").id("1").dueIn(SECOND));
    held.answer();
    assertThat(find("1").payload()).isEqualTo("new");
    assertThat(find("1").state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void take_storeAnswersTooLate_failsAndIsPutBack() {
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken = take(slowQueue(), Duration.ZERO);
    world.advance(Duration.ofMinutes(2));
    assertThatThrownBy(taken::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreUnavailableException.class);
    held.answer();
    assertThat(find("1").state()).isEqualTo(State.READY);
  }

  @Test
  void take_clientClosedWithTheClaimInFlight_isPutBackBeforeTheEnd() {
    Punctual client = slow(Runnable::run);
    world.queue.schedule(Message.of("a").id("1"));
    CompletableFuture<List<Message<String>>> taken =
        take(client.queue("orders", Codec.string()), SECOND);
    CompletableFuture<?> closed = CompletableFuture.runAsync(() -> client.close(Duration.ZERO));
    assertThat(taken.join()).isEmpty();
    held.answer();
    closed.join();
    assertThat(world.events(Event.MessageReleased.class))
        .extracting(Event.MessageReleased::id)
        .containsExactly("1");
  }

  @Test
  void take_clientClosedAndTheStoreSilent_closesAfterTheTimeout() {
    Punctual client = slow(Runnable::run);
    TimedQueue<String> queue = client.queue("orders", Codec.string());
    CompletableFuture<List<Message<String>>> taken = take(queue, SECOND);
    CompletableFuture<?> closed = CompletableFuture.runAsync(() -> client.close(Duration.ZERO));
    assertThat(taken.join()).isEmpty();
    while (!closed.isDone()) {
      world.advance(SECOND);
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> queue.take(1, SECOND)).isInstanceOf(PunctualException.class);
  }

  @Test
  void take_interruptedBefore_takesNothing() {
    world.queue.schedule(Message.of("a").id("1").dueIn(SECOND));
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> world.queue.take(1, Duration.ofMinutes(1)))
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
    world.advance(SECOND);
    assertThat(find("1").state()).isEqualTo(State.READY);
  }

  private void scheduleUndecodable(String id) {
    world
        .punctual
        .queue("orders", Codec.bytes())
        .schedule(Message.of(new byte[] {(byte) 0xff}).id(id));
  }

  @Test
  void take_undecodable_retriedByThePolicyThenBuried() {
    scheduleUndecodable("bad");
    ClaimOptions options = ClaimOptions.DEFAULT.policy(RetryPolicy.fixed(SECOND).maxAttempts(3));
    for (int attempt = 1; attempt < 3; attempt++) {
      assertThat(world.queue.take(1, options)).isEmpty();
      assertThat(find("bad").state()).as("attempt %d", attempt).isEqualTo(State.SCHEDULED);
      world.advance(SECOND);
    }
    assertThat(world.queue.take(1, options)).isEmpty();
    assertThat(find("bad").state()).isEqualTo(State.DEAD);
    assertThat(find("bad").deadReason()).hasValue(DeadReason.UNDECODABLE);
    assertThat(find("bad").failures()).hasSize(3);
  }

  @Test
  void take_undecodableBeforeAGoodMessage_returnsTheGoodMessage() {
    scheduleUndecodable("bad");
    world.advance(Duration.ofMillis(1));
    world.queue.schedule(Message.of("good").id("good"));
    assertThat(world.queue.take(1, ClaimOptions.DEFAULT.policy(RetryPolicy.fixed(SECOND))))
        .extracting(Message::payload)
        .containsExactly("good");
    assertThat(find("bad").state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void take_expired_becomesADeadLetter() {
    Instant now = world.clock.instant();
    world.queue.schedule(Message.of("a").id("1").notAfter(now.plusMillis(500)));
    world.advance(SECOND);
    assertThat(world.queue.take(10, Duration.ZERO)).isEmpty();
    assertThat(find("1").deadReason()).hasValue(DeadReason.EXPIRED);
  }

  @Test
  void take_leasesKeepRunningOut_becomesADeadLetter() {
    world.queue.schedule(Message.of("a").id("1"));
    for (int i = 0; i < 5; i++) {
      assertThat(world.queue.claim(1, ClaimOptions.DEFAULT.lease(SECOND))).hasSize(1);
      world.advance(SECOND);
    }
    assertThat(world.queue.take(10, Duration.ZERO)).isEmpty();
    assertThat(find("1").deadReason()).hasValue(DeadReason.WORKERS_DIED);
  }

  @Test
  void take_codecDecodesToNull_becomesADeadLetter() {
    Codec<String> nulls =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return payload.getBytes(UTF_8);
          }

          @Override
          @SuppressWarnings("NullAway") // The test needs a codec with this fault.
          public String decode(byte[] bytes) {
            return null;
          }
        };
    world.queue.schedule(Message.of("a").id("1"));
    TimedQueue<String> queue = world.punctual.queue("orders", nulls);
    assertThat(queue.take(10, ClaimOptions.DEFAULT.policy(RetryPolicy.never()))).isEmpty();
    assertThat(find("1").deadReason()).hasValue(DeadReason.UNDECODABLE);
  }
}
