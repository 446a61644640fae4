package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A caller that cancels or completes the stage of a claim gets no messages: they return at once.
 */
@Timeout(300)
class CancelledClaimTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final ManualWorld world = new ManualWorld();
  private final HeldClaims held = new HeldClaims();
  private final List<Punctual> clients = new ArrayList<>();

  /** The ways in which a caller ends its stage. */
  enum End {
    CANCEL,
    COMPLETE,
    FAIL;

    void end(CompletableFuture<List<Delivery<String>>> stage) {
      switch (this) {
        case CANCEL -> stage.cancel(false);
        case COMPLETE -> stage.complete(List.of());
        case FAIL -> stage.completeExceptionally(new IllegalStateException("nobody waits"));
      }
    }
  }

  @AfterEach
  void close() {
    held.answer();
    clients.forEach(client -> client.close(Duration.ZERO));
    world.close();
  }

  /** Opens the queue in a client whose claims wait for an answer until the test gives it. */
  private TimedQueue<String> slow(Executor callbacks) {
    Punctual client =
        Punctual.builder()
            .store(held.of(world.store))
            .timer(world.clock)
            .callbackExecutor(callbacks)
            .observer(world.events::add)
            .build();
    clients.add(client);
    return client.queue("orders", Codec.string());
  }

  private static CompletableFuture<List<Delivery<String>>> claim(TimedQueue<String> queue) {
    return queue
        .async()
        .claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(HOUR))
        .toCompletableFuture();
  }

  private void expectReturned(String id, Instant due) {
    StoredMessage<String> message = world.queue.find(id).orElseThrow();
    assertThat(message.state()).isEqualTo(State.READY);
    assertThat(message.dueAt()).isEqualTo(due);
    assertThat(message.attempts()).isZero();
    assertThat(message.failures()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void endedBeforeAMessageIsDue_leavesItInTheQueue(End how) {
    CompletableFuture<List<Delivery<String>>> stage = claim(world.queue);
    how.end(stage);
    Instant due = world.clock.instant();
    world.queue.schedule(Message.of("x").id("a"));
    world.advance(Duration.ofSeconds(2));
    expectReturned("a", due);
  }

  @ParameterizedTest
  @EnumSource
  void endedWithTheAnswerOnTheWay_returnsTheMessage(End how) {
    Instant due = world.clock.instant();
    world.queue.schedule(Message.of("x").id("a"));
    CompletableFuture<List<Delivery<String>>> stage = claim(slow(Runnable::run));
    assertThat(world.queue.find("a").orElseThrow().state()).isEqualTo(State.LEASED);
    how.end(stage);
    held.answer();
    expectReturned("a", due);
    assertThat(world.events(Event.MessageReleased.class)).hasSize(1);
    assertThat(world.events(Event.MessageHandedOver.class)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void endedBeforeTheExecutorRan_returnsTheMessageAtOnce(End how) {
    Queue<Runnable> tasks = new ArrayDeque<>();
    Instant due = world.clock.instant();
    world.queue.schedule(Message.of("x").id("a"));
    CompletableFuture<List<Delivery<String>>> stage = claim(slow(tasks::add));
    held.answer();
    how.end(stage);
    expectReturned("a", due);
    tasks.forEach(Runnable::run);
    expectReturned("a", due);
  }

  @ParameterizedTest
  @EnumSource
  void endedWhileTheCodecRuns_returnsTheMessage(End how) {
    Instant due = world.clock.instant();
    world.queue.schedule(Message.of("x").id("a"));
    List<CompletableFuture<List<Delivery<String>>>> stages = new ArrayList<>();
    Codec<String> ending =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return Codec.string().encode(payload);
          }

          @Override
          public String decode(byte[] bytes) {
            how.end(stages.get(0));
            return Codec.string().decode(bytes);
          }
        };
    TimedQueue<String> plain = slow(Runnable::run);
    stages.add(claim(clients.get(0).queue(plain.name(), ending)));
    held.answer();
    expectReturned("a", due);
  }

  @ParameterizedTest
  @EnumSource
  void endedAfterTheAnswer_keepsTheMessage(End how) {
    world.queue.schedule(Message.of("x").id("a"));
    CompletableFuture<List<Delivery<String>>> stage = claim(slow(Runnable::run));
    held.answer();
    how.end(stage);
    assertThat(stage.join()).extracting(Delivery::id).containsExactly("a");
    assertThat(world.queue.find("a").orElseThrow().state()).isEqualTo(State.LEASED);
    world.advance(Duration.ofMinutes(1));
    assertThat(stage.join().get(0).isLost()).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void oneOfTheCallersOfASharedClaimEnds_othersReceiveTheirsAndTheRestReturns(End how) {
    TimedQueue<String> queue = slow(Runnable::run);
    CompletableFuture<List<Delivery<String>>> alone = claim(queue);
    List<CompletableFuture<List<Delivery<String>>>> sharing = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sharing.add(claim(queue));
    }
    held.answerNext();
    Instant due = world.clock.instant();
    List.of("a", "b", "c", "d").forEach(id -> world.queue.schedule(Message.of("x").id(id)));
    how.end(sharing.get(1));
    held.answer();
    world.advance(Duration.ofSeconds(1));
    held.answer();
    Stream.of(alone, sharing.get(0), sharing.get(2))
        .forEach(stage -> assertThat(stage.join()).hasSize(1));
    List<String> ready =
        world.queue.browse(State.READY, 10).items().stream().map(StoredMessage::id).toList();
    assertThat(ready).hasSize(1);
    expectReturned(ready.get(0), due);
  }

  @ParameterizedTest
  @EnumSource
  void allCallersOfASharedClaimEnd_everythingReturns(End how) {
    TimedQueue<String> queue = slow(Runnable::run);
    List<CompletableFuture<List<Delivery<String>>>> stages = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      stages.add(claim(queue));
    }
    held.answerNext();
    List.of("a", "b", "c", "d").forEach(id -> world.queue.schedule(Message.of("x").id(id)));
    stages.forEach(how::end);
    held.answer();
    world.advance(Duration.ofSeconds(1));
    held.answer();
    assertThat(world.queue.counts().ready()).isEqualTo(4);
    assertThat(world.queue.counts().leased()).isZero();
  }

  @Test
  void endAndAnswerAtTheSameTime_theCallerHasTheMessageOrTheQueueHasIt() throws Exception {
    TimedQueue<String> queue = slow(Runnable::run);
    for (int round = 0; round < 500; round++) {
      String id = "m" + round;
      world.queue.schedule(Message.of("x").id(id));
      CompletableFuture<List<Delivery<String>>> stage = claim(queue);
      CountDownLatch begin = new CountDownLatch(1);
      CompletableFuture<Void> cancel =
          CompletableFuture.runAsync(
              () -> {
                begin.countDown();
                stage.cancel(false);
              });
      begin.await();
      held.answer();
      cancel.join();
      if (stage.isCancelled()) {
        assertThat(world.queue.find(id).orElseThrow().state()).isEqualTo(State.READY);
        world.queue.cancel(id);
      } else {
        assertThat(stage.join()).extracting(Delivery::id).containsExactly(id);
        stage.join().get(0).ack();
      }
      assertThat(world.queue.find(id)).isEmpty();
    }
  }
}
