package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.punctual.ClaimOptions;
import io.punctual.ClientBusyException;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.event.Event;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests faults of user code, most of them exceptions at critical points: the worker loses neither a
 * permit nor a message.
 */
class UserFaultsTest {
  private static final Codec<String> BROKEN_AT_X =
      new Codec<>() {
        @Override
        public byte[] encode(String payload) {
          return Codec.string().encode(payload);
        }

        @Override
        public String decode(byte[] bytes) {
          String text = Codec.string().decode(bytes);
          if (text.equals("x")) {
            throw new StackOverflowError("too deep");
          }
          return text;
        }
      };

  private final ManualWorld world = new ManualWorld();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> handled = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
    threads.shutdownNow();
  }

  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no words");
    }
  }

  @Test
  void decode_throwsAnError_retriedAndTheNextIsHandled() {
    TimedQueue<String> queue = world.punctual.queue("orders", BROKEN_AT_X);
    Worker worker =
        queue.work(inline().concurrency(1).build(), delivery -> handled.add(delivery.payload()));
    world.queue.schedule(Message.of("x").id("x"));
    world.queue.schedule("fine", Duration.ZERO);
    assertThat(handled).containsExactly("fine");
    assertThat(worker.running()).isZero();
    assertThat(world.queue.find("x").orElseThrow().failures()).hasSize(1);
    assertThat(world.queue.find("x").orElseThrow().state()).isNotEqualTo(State.DEAD);
  }

  @Test
  void decode_throwsAnErrorInAClaimByHand_retriedAndTheRestDelivered() throws Exception {
    TimedQueue<String> queue = world.punctual.queue("orders", BROKEN_AT_X);
    world.queue.schedule(Message.of("x").id("x"));
    world.queue.schedule("fine", Duration.ZERO);
    assertThat(
            queue
                .async()
                .claim(2, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(30)))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS))
        .hasSize(1);
    assertThat(world.queue.find("x").orElseThrow().failures()).hasSize(1);
    assertThat(world.queue.find("x").orElseThrow().state()).isNotEqualTo(State.DEAD);
  }

  @Test
  void handler_failsWithAnExceptionThatCannotSpeak_retried() {
    world.queue.work(
        inline().concurrency(1).retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))).build(),
        delivery -> {
          if (delivery.attempt() == 1) {
            throw new Unspeakable();
          }
          handled.add(delivery.payload());
        });
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofSeconds(1));
    assertThat(handled).containsExactly("a");
  }

  @Test
  void retryPolicy_throwsAnError_retriedInAMinute() {
    world.queue.work(
        inline()
            .concurrency(1)
            .retryPolicy(
                RetryPolicy.DEFAULT.forFailure(
                    failure -> {
                      throw new AssertionError("a rule");
                    },
                    RetryPolicy.never()))
            .build(),
        delivery -> {
          handled.add(delivery.payload());
          if (delivery.attempt() == 1) {
            throw new IllegalStateException("once");
          }
        });
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofMinutes(1));
    assertThat(handled).containsExactly("a", "a");
  }

  @Test
  void listener_throwsAnError_changesNothing() {
    try (Punctual other =
        Punctual.builder()
            .store(world.store)
            .timer(world.clock)
            .observer(
                event -> {
                  throw new AssertionError("a listener");
                })
            .build()) {
      TimedQueue<String> queue = other.queue("orders", Codec.string());
      Worker worker =
          queue.work(inline().concurrency(1).build(), delivery -> handled.add(delivery.payload()));
      assertThat(queue.async().schedule(Message.of("a")).toCompletableFuture()).isCompleted();
      assertThat(queue.async().schedule(Message.of("b")).toCompletableFuture()).isCompleted();
      assertThat(handled).containsExactly("a", "b");
      assertThat(worker.running()).isZero();
    }
  }

  @Test
  void executor_cannotMakeAThread_givenBackAndTriedAgain() {
    Deque<Error> errors = new ArrayDeque<>(List.of(new InternalError("no native thread")));
    world.queue.work(
        WorkerOptions.builder()
            .executor(
                task -> {
                  if (!errors.isEmpty()) {
                    throw errors.pop();
                  }
                  task.run();
                })
            .build(),
        delivery -> handled.add(delivery.payload() + delivery.attempt()));
    world.queue.schedule("a", Duration.ZERO);
    assertThat(handled).isEmpty();
    world.advance(Duration.ofSeconds(2));
    assertThat(handled).containsExactly("a1");
  }

  @Test
  void executor_dropsATask_permitIsFreeBeforeTheLeaseIsOver() {
    int[] tasks = {0};
    world.queue.work(
        WorkerOptions.builder()
            .concurrency(1)
            .lease(Duration.ofSeconds(10))
            .executor(
                task -> {
                  if (tasks[0]++ > 0) {
                    task.run();
                  }
                })
            .build(),
        delivery -> handled.add(delivery.payload() + delivery.attempt()));
    world.queue.schedule("a", Duration.ZERO);
    world.advance(Duration.ofSeconds(5));
    assertThat(handled).isEmpty();
    world.advance(Duration.ofMillis(4_999));
    assertThat(handled).containsExactly("a1");
  }

  /** A single thread runs a handler of 8 seconds at a time, and most of 20 messages wait for it. */
  @Test
  void executor_isNarrowerThanTheConcurrency_waitingIsNoAttempt() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    world.queue.work(
        WorkerOptions.builder()
            .concurrency(16)
            .lease(Duration.ofSeconds(10))
            .executor(waiting::add)
            .build(),
        delivery -> handled.add(delivery.payload() + ":" + delivery.attempt()));
    for (int i = 0; i < 20; i++) {
      world.queue.schedule("m" + i, Duration.ZERO);
    }
    for (int i = 1; i <= 20; i++) {
      world.advance(Duration.ofSeconds(8));
      while (handled.size() < i && !waiting.isEmpty()) {
        waiting.remove().run();
      }
      assertThat(handled).hasSize(i);
    }
    assertThat(handled).doesNotHaveDuplicates().allMatch(one -> one.endsWith(":1"));
    assertThat(world.queue.counts().dead()).isZero();
  }

  @Test
  void schedule_interrupted_exceptionNamesTheMadeId() {
    SilentPartitionStore store = new SilentPartitionStore(world.store);
    Punctual punctual = Punctual.builder().store(store).timer(world.clock).build();
    TimedQueue<String> queue = punctual.queue("orders", Codec.string());
    Thread.currentThread().interrupt();
    Throwable failure = catchThrowable(() -> queue.schedule("a", Duration.ofHours(1)));
    assertThat(Thread.interrupted()).isTrue();
    store.speak();
    assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
    String id = ((OutcomeUnknownException) failure).id().orElseThrow();
    assertThat(world.queue.find(id).orElseThrow().payload()).isEqualTo("a");
  }

  @Test
  void schedule_moreBytesThanAllowed_clientIsBusyUntilTheStoreAnswers() {
    SilentPartitionStore store = new SilentPartitionStore(world.store);
    Punctual punctual =
        Punctual.builder().store(store).timer(world.clock).operationBytes(10_000).build();
    TimedQueue<String> queue = punctual.queue("orders", Codec.string());
    Message<String> large = Message.of("x".repeat(6_000)).dueIn(Duration.ofHours(1));
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      answers.add(queue.async().schedule(large).toCompletableFuture());
    }
    assertThat(answers.get(7))
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ClientBusyException.class)
        .withMessageContaining("operationBytes");
    store.speak();
    assertThat(queue.schedule(large).id()).isNotEmpty();
  }

  @Test
  void work_withoutAHandler_refusedAtOnce() {
    assertThatNullPointerException().isThrownBy(() -> world.queue.work(null));
    assertThatNullPointerException()
        .isThrownBy(() -> world.queue.workStages(WorkerOptions.DEFAULT, null));
    assertThatNullPointerException()
        .isThrownBy(() -> world.queue.workBatches(WorkerOptions.DEFAULT, null));
    assertThatNullPointerException().isThrownBy(() -> world.queue.work(null, delivery -> {}));
  }

  @Test
  void settlement_itsFutureIsEndedByTheUser_stillCounted() {
    SilentPartitionStore store = new SilentPartitionStore(world.store);
    store.speak();
    try (Punctual punctual = Punctual.builder().store(store).timer(world.clock).build()) {
      Worker worker =
          punctual
              .queue("orders", Codec.string())
              .work(
                  inline().build(),
                  delivery -> {
                    store.beSilent();
                    assertThat(delivery.async().ack().toCompletableFuture().cancel(true)).isTrue();
                    handled.add(delivery.payload());
                  });
      world.queue.schedule("a", Duration.ZERO);
      assertThat(handled).containsExactly("a");
      store.speak();
      assertThat(threads.submit(() -> worker.close())).succeedsWithin(Duration.ofSeconds(60));
    }
  }

  @Test
  void extend_afterTheAck_isNotALeaseLost() {
    world.queue.work(
        inline().build(),
        delivery -> {
          delivery.ack();
          delivery.extend(Duration.ofSeconds(30));
          handled.add("lost: " + delivery.isLost());
        });
    world.queue.schedule("a", Duration.ZERO);
    assertThat(handled).containsExactly("lost: false");
    assertThat(world.events(Event.LeaseLost.class)).isEmpty();
  }

  @Test
  void close_withAGraceOfForever_ends() {
    Worker worker = world.queue.work(inline().build(), delivery -> {});
    Future<?> closing = threads.submit(() -> worker.close(ChronoUnit.FOREVER.getDuration()));
    assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
    assertThat(threads.submit(() -> worker.await(ChronoUnit.FOREVER.getDuration())))
        .succeedsWithin(Duration.ofSeconds(60));
  }

  @Test
  void close_graceOverBeforeTheAsyncHandlerReturnsItsStage_givenBack() {
    List<Worker> self = new ArrayList<>();
    self.add(
        world.queue.workStages(
            inline().build(),
            delivery -> {
              threads.execute(() -> self.get(0).close(Duration.ZERO));
              while (!Thread.interrupted()) {
                Thread.onSpinWait();
              }
              return new CompletableFuture<>();
            }));
    world.queue.schedule(Message.of("a").id("a"));
    assertThat(world.queue.find("a").orElseThrow().state()).isEqualTo(State.READY);
  }
}
