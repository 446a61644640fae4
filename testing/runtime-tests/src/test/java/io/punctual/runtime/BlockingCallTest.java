package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.ClientBusyException;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.Scheduled;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how long blocking calls wait, how they end, and where they are refused. */
@Timeout(300)
class BlockingCallTest {
  private static final Duration SHORT = Duration.ofMillis(200);

  private final MemoryStore memory = MemoryStore.builder().build();
  private final SilentPartitionStore store = new SilentPartitionStore(memory);
  private final ExecutorService executor = Executors.newSingleThreadExecutor();
  private Punctual punctual = open(Punctual.builder());
  private TimedQueue<String> queue = punctual.queue("orders", Codec.string());

  private Punctual open(PunctualBuilder builder) {
    return builder.store(store).blockingTimeout(SHORT).build();
  }

  @AfterEach
  void close() {
    store.speak();
    punctual.close(Duration.ZERO);
    executor.shutdownNow();
  }

  private static Message<String> message(String id) {
    return Message.of(id).id(id).dueIn(Duration.ofHours(1));
  }

  private static void assertRefused(CompletionStage<?> callback) {
    assertThatThrownBy(() -> callback.toCompletableFuture().get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("callbackExecutor");
  }

  @Test
  void inACallback_ofAnAnswer_isRefusedAtOnce() {
    CompletionStage<Scheduled> scheduled = queue.async().schedule(message("a"));
    CompletionStage<?> cancelled = scheduled.thenApply(s -> queue.cancel(s.id()));
    CompletionStage<?> counted = scheduled.thenApply(s -> queue.counts());
    CompletionStage<?> opened = scheduled.thenApply(s -> punctual.queue("another", Codec.string()));
    store.speak();
    assertRefused(cancelled);
    assertRefused(counted);
    assertRefused(opened);
    assertThat(queue.find("a")).as("nothing was cancelled").isPresent();
  }

  @Test
  void inACallback_onTheTimersThread_isRefusedAtOnce() {
    store.speak();
    assertRefused(
        queue
            .async()
            .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(30)).maxWait(SHORT))
            .thenApply(none -> queue.counts()));
  }

  @Test
  void inACallback_onItsOwnExecutor_maySucceed() throws Exception {
    Punctual another = open(Punctual.builder().callbackExecutor(executor));
    try {
      TimedQueue<String> orders = another.queue("orders", Codec.string());
      CompletionStage<?> cancelled =
          orders.async().schedule(message("a")).thenApply(s -> orders.cancel(s.id()));
      store.speak();
      assertThat(cancelled.toCompletableFuture().get(60, TimeUnit.SECONDS)).isNotNull();
    } finally {
      another.close(Duration.ZERO);
    }
  }

  @Test
  void inACallback_anExecutorThatRunsTasksOnTheCallersThread_isRefused() {
    Punctual another = open(Punctual.builder().callbackExecutor(Runnable::run));
    try {
      TimedQueue<String> orders = another.queue("orders", Codec.string());
      CompletionStage<?> cancelled =
          orders.async().schedule(message("a")).thenApply(s -> orders.cancel(s.id()));
      store.speak();
      assertRefused(cancelled);
    } finally {
      another.close(Duration.ZERO);
    }
  }

  @Test
  void onAThreadThatRanACallbackBefore_isFine() {
    queue.async().schedule(message("a")).thenRun(() -> {});
    store.speak();
    assertThat(queue.counts().scheduled()).isEqualTo(1);
    assertThat(queue.schedule(message("b")).id()).isEqualTo("b");
  }

  @Test
  void close_inACallback_doesNotWait() throws Exception {
    CompletionStage<?> closed =
        queue.async().schedule(message("a")).thenRun(() -> punctual.close(Duration.ofSeconds(1)));
    store.speak();
    closed.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void schedule_storeSilent_endsWithTheBlockingTimeoutAndKnowsTheId() {
    assertThatThrownBy(() -> queue.schedule(message("a")))
        .isInstanceOfSatisfying(
            OutcomeUnknownException.class, e -> assertThat(e.id()).hasValue("a"))
        .hasMessageContaining("within 200 ms");
  }

  @Test
  void scheduleAll_storeSilent_saysHowManyAreUnknown() {
    assertThatThrownBy(() -> queue.scheduleAll(List.of(message("a"), message("b"))))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("2 of its 2 messages");
  }

  private static Message<String> large() {
    return Message.of("x".repeat(6_000)).dueIn(Duration.ofHours(1));
  }

  /**
   * Fills the room for operations of a silent store. Operations in a call in flight do not count;
   * the first two schedules are in flight, so only the last two count.
   */
  private static void fill(TimedQueue<String> orders) {
    for (int i = 0; i < 4; i++) {
      orders.async().schedule(large());
    }
  }

  @Test
  void schedule_backlogFull_waitsForRoomWithinItsTimeout() throws Exception {
    Punctual small =
        Punctual.builder()
            .store(store)
            .operationBytes(10_000)
            .blockingTimeout(Duration.ofSeconds(30))
            .build();
    TimedQueue<String> orders = small.queue("orders", Codec.string());
    fill(orders);
    CompletableFuture<Scheduled> single = supply(() -> orders.schedule(large()));
    CompletableFuture<List<Scheduled>> batch =
        supply(() -> orders.scheduleAll(List.of(large(), large())));
    assertThatThrownBy(() -> orders.async().schedule(large()).toCompletableFuture().get())
        .as("an asynchronous call does not wait")
        .hasCauseInstanceOf(ClientBusyException.class);
    assertThat(single).isNotDone();
    assertThat(batch).isNotDone();
    store.speak();
    assertThat(single.get(60, TimeUnit.SECONDS).id()).isNotEmpty();
    assertThat(batch.get(60, TimeUnit.SECONDS)).hasSize(2);
    assertThat(orders.counts().scheduled()).isEqualTo(7);
    small.close(Duration.ZERO);
  }

  private static <T> CompletableFuture<T> supply(Supplier<T> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                answer.complete(call.get());
              } catch (Throwable e) {
                answer.completeExceptionally(e);
              }
            });
    thread.start();
    return answer;
  }

  @Test
  void schedule_backlogStaysFull_isBusyAfterItsTimeout() {
    Punctual small = open(Punctual.builder().operationBytes(10_000));
    TimedQueue<String> orders = small.queue("orders", Codec.string());
    fill(orders);
    assertThatThrownBy(() -> orders.schedule(large()))
        .isInstanceOf(ClientBusyException.class)
        .hasMessageContaining("operationBytes");
    store.speak();
    assertThat(orders.counts().scheduled()).as("nothing was done").isEqualTo(4);
    small.close(Duration.ZERO);
  }

  @Test
  void schedule_interruptedWhileTheBacklogIsFull_isBusyAtOnce() {
    Punctual small =
        Punctual.builder()
            .store(store)
            .operationBytes(10_000)
            .blockingTimeout(Duration.ofDays(1))
            .build();
    TimedQueue<String> orders = small.queue("orders", Codec.string());
    fill(orders);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> orders.schedule(large()))
        .isInstanceOf(ClientBusyException.class)
        .hasMessageContaining("interrupted")
        .hasMessageContaining("nothing was sent")
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
    store.speak();
    small.close(Duration.ZERO);
  }

  @Test
  void schedule_interrupted_knowsTheIdAndGoesOn() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> queue.schedule(message("a")))
        .isInstanceOfSatisfying(
            OutcomeUnknownException.class, e -> assertThat(e.id()).hasValue("a"));
    assertThat(Thread.interrupted()).isTrue();
    store.speak();
    assertThat(queue.find("a")).get().extracting(m -> m.state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void schedule_neverSent_isWithdrawnForGood() throws Exception {
    CompletionStage<Scheduled> first = queue.async().schedule(message("first"));
    CompletionStage<Scheduled> second = queue.async().schedule(message("second"));
    assertThatThrownBy(() -> queue.schedule(message("third")))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("'third'");
    store.speak();
    first.toCompletableFuture().get(60, TimeUnit.SECONDS);
    second.toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(queue.find("third")).isEmpty();
  }

  @Test
  void claim_storeSilent_endsAfterTheWaitAndTheBlockingTimeout() {
    assertThatThrownBy(() -> queue.claim(1, Duration.ZERO))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void ack_storeSilent_goesOnAfterItsCallerHasLeft() {
    store.speak();
    queue.schedule(Message.of("a").id("a"));
    Delivery<String> delivery = queue.claim(1, Duration.ofSeconds(10)).get(0);
    store.beSilent();
    assertThatThrownBy(delivery::ack).isInstanceOf(OutcomeUnknownException.class);
    store.speak();
    assertThat(queue.find("a")).isEmpty();
  }

  @Test
  void withTimeout_setsTheTimeOfItsCallsOnly() {
    TimedQueue<String> hasty = queue.withTimeout(Duration.ofMillis(10));
    assertThatThrownBy(() -> hasty.schedule(message("a"))).hasMessageContaining("within 10 ms");
    assertThatThrownBy(() -> queue.withTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void url_setsTheTimes_orSaysWhatIsWrong() {
    try (Punctual timed =
        Punctual.open("memory:?blockingTimeout=2s&operationTimeout=1m&partitions=2")) {
      assertThat(timed.queue("q", Codec.string()).partitions()).isEqualTo(2);
    }
    assertThatThrownBy(() -> Punctual.open("memory:?blockingTimeout=soon"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("blockingTimeout")
        .hasMessageContaining("500ms");
    assertThatThrownBy(() -> Punctual.open("memory:?blockTimeout=1s"))
        .hasMessageContaining("blockingTimeout");
  }

  @Test
  void cancelledStage_onACallbackExecutor_givesItsMessagesBack() {
    Punctual another = open(Punctual.builder().callbackExecutor(executor));
    try {
      TimedQueue<String> orders = another.queue("orders", Codec.string());
      CompletableFuture<?> claim =
          orders
              .async()
              .claim(
                  1, ClaimOptions.DEFAULT.lease(Duration.ofHours(1)).maxWait(Duration.ofHours(1)))
              .toCompletableFuture();
      claim.cancel(false);
      store.speak();
      queue.schedule(Message.of("a").id("a"));
      assertThat(queue.claim(1, Duration.ofSeconds(10))).hasSize(1);
    } finally {
      another.close(Duration.ZERO);
    }
  }

  @Test
  void blockingSettlement_onTheOnlyThreadOfTheCallbacks_needsNoSecondThread() throws Exception {
    store.speak();
    try (Punctual own = Punctual.builder().store(store).callbackExecutor(executor).build()) {
      TimedQueue<String> orders = own.queue("orders", Codec.string());
      orders.schedule(Message.of("a").id("a"));
      Delivery<String> held =
          orders
              .claim(
                  1,
                  ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)).maxWait(Duration.ofSeconds(30)))
              .get(0);
      store.beSilent();
      CompletableFuture<SettleOutcome> acked =
          orders
              .async()
              .schedule(message("b"))
              .thenApply(
                  stored -> {
                    store.beSilent();
                    return held.ack();
                  })
              .toCompletableFuture();
      store.speak();
      await().until(store::hasUnanswered);
      store.speak();
      assertThat(acked.get(60, TimeUnit.SECONDS)).isEqualTo(SettleOutcome.DONE);
    }
  }

  @Test
  void asyncCall_callbackExecutorThrowsAnError_completesOnTheClientsThread() throws Exception {
    Executor broken =
        task -> {
          throw new OutOfMemoryError("unable to create native thread");
        };
    try (Punctual own = Punctual.builder().store(store).callbackExecutor(broken).build()) {
      TimedQueue<String> orders = own.queue("orders", Codec.string());
      store.beSilent();
      CompletableFuture<Scheduled> stored =
          orders.async().schedule(message("b")).toCompletableFuture();
      store.speak();
      assertThat(stored.get(60, TimeUnit.SECONDS).id()).isEqualTo("b");
    }
  }
}
