package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.punctual.BatchException;
import io.punctual.BatchException.Status;
import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.LastFailure;
import io.punctual.internal.runtime.Waiting;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches of which the store makes only a part. The caller learns the outcome of each message. */
@Timeout(300)
class BatchOutcomeTest {
  private static final int CALL = Partition.MAX_OPERATIONS;
  private static final Duration SHORT = Duration.ofMillis(60);

  private final ManualWorld world = new ManualWorld();
  private final AtomicInteger answered = new AtomicInteger(Integer.MAX_VALUE);
  private @Nullable Supplier<CompletionStage<?>> afterwards;
  private final Punctual client =
      Punctual.builder().store(store()).timer(world.clock).blockingTimeout(SHORT).build();
  private final TimedQueue<String> queue = client.queue("orders", Codec.string());

  @AfterEach
  void close() {
    answered.set(Integer.MAX_VALUE);
    world.advance(Duration.ofMinutes(2));
    CompletableFuture<?> closed = CompletableFuture.runAsync(() -> client.close(Duration.ZERO));
    while (!closed.isDone()) {
      world.advance(Duration.ofSeconds(1));
      Thread.onSpinWait();
    }
    world.close();
  }

  private static List<Message<String>> messages(int count) {
    return IntStream.range(0, count).mapToObj(i -> Message.of("m").id("m" + i)).toList();
  }

  private static CompletionStage<?> silence() {
    return new CompletableFuture<>();
  }

  private static CompletionStage<?> refusal() {
    return CompletableFuture.failedFuture(new Partition.PartitionException("read-only", null));
  }

  @Test
  void scheduleAll_storeFallsSilentHalfWay_tellsTheOutcomeOfEachMessage() {
    answered.set(2);
    afterwards = BatchOutcomeTest::silence;
    BatchException failure =
        catchThrowableOfType(BatchException.class, () -> queue.scheduleAll(messages(6 * CALL)));
    assertThat(failure)
        .hasMessageContaining("queue 'orders'")
        .hasMessageContaining("2000 done, 2000 not done, 2000 unknown");
    List<BatchException.Outcome> outcomes = failure.outcomes();
    assertThat(outcomes).hasSize(6 * CALL);
    for (int i = 0; i < outcomes.size(); i++) {
      BatchException.Outcome outcome = outcomes.get(i);
      assertThat(outcome.id()).isEqualTo("m" + i);
      assertThat(outcome.status())
          .isEqualTo(List.of(Status.DONE, Status.UNKNOWN, Status.NOT_DONE).get(i / 2 / CALL));
      assertThat(outcome.result().isPresent()).isEqualTo(outcome.status() == Status.DONE);
      assertThat(outcome.failure().isPresent()).isEqualTo(outcome.status() != Status.DONE);
    }
    assertThat(outcomes.get(0).result()).get().isInstanceOf(Scheduled.class);
    assertThat(outcomes.get(2 * CALL).failure()).get().isInstanceOf(OutcomeUnknownException.class);
    assertThat(outcomes.get(5 * CALL).failure())
        .get()
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void cancelAll_storeRefusesHalfWay_tellsTheOutcomeOfEachMessage() {
    queue.withTimeout(Duration.ofMinutes(1)).scheduleAll(messages(3 * CALL));
    answered.set(1);
    afterwards = BatchOutcomeTest::refusal;
    BatchException failure =
        catchThrowableOfType(
            BatchException.class,
            () -> queue.cancelAll(messages(3 * CALL).stream().map(m -> m.id().get()).toList()));
    assertThat(failure)
        .hasMessageContaining("1000 done, 2000 not done, 0 unknown")
        .hasMessageContaining("read-only");
    assertThat(failure.outcomes().get(0).result()).hasValue(CancelOutcome.CANCELLED);
    assertThat(failure.count(Status.NOT_DONE)).isEqualTo(2 * CALL);
  }

  @Test
  void scheduleAll_nothingIsDone_hasTheExceptionOfASingleSchedule() {
    queue.schedule(Message.of("first"));
    answered.set(0);
    afterwards = BatchOutcomeTest::silence;
    OutcomeUnknownException failure =
        catchThrowableOfType(
            OutcomeUnknownException.class, () -> queue.scheduleAll(messages(CALL)));
    assertThat(failure).hasMessageContaining("1000 of its 1000 messages");
  }

  @Test
  void await_requestMakesProgress_waitsAsLongAsItDoes() {
    AtomicInteger looks = new AtomicInteger();
    Awaited<String> slow =
        new Awaited<>() {
          private final CompletableFuture<String> answer = new CompletableFuture<>();

          @Override
          public CompletableFuture<String> answer() {
            return answer;
          }

          @Override
          public long progress() {
            if (looks.get() == 5) {
              answer.complete("done");
            }
            return looks.incrementAndGet();
          }

          @Override
          public RuntimeException unanswered(String why, @Nullable Throwable cause) {
            return new IllegalStateException(why);
          }
        };
    assertThat(new Waiting(Duration.ofMillis(1), new LastFailure()).await(() -> slow))
        .isEqualTo("done");
  }

  private Store store() {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(world.store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(all -> ((List<?>) all).stream().map(this::partition).toList())
              : result;
        });
  }

  /** Returns a partition that answers some calls with operations, and then none. */
  private Partition partition(Object partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          boolean isChange =
              method.getName().equals("call") && ((Call) args[0]).body() instanceof Call.Apply;
          return isChange && answered.getAndDecrement() <= 0 && afterwards != null
              ? afterwards.get()
              : method.invoke(partition, args);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
