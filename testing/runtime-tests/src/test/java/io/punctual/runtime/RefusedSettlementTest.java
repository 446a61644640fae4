package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Settlements that the store refuses for some time are repeated while their leases last. */
class RefusedSettlementTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Punctual punctual =
      Punctual.builder().store(proxy(Store.class, this::answerOfStore)).timer(clock).build();
  private final TimedQueue<String> queue = punctual.queue("orders", Codec.string());
  private @Nullable Exception refusal;
  private int refusals;

  private Object answerOfStore(Object proxy, java.lang.reflect.Method method, Object[] args)
      throws Throwable {
    Object result = method.invoke(memory, args);
    return method.getName().equals("partitions")
        ? ((CompletionStage<?>) result)
            .thenApply(
                partitions ->
                    ((List<?>) partitions).stream().map(one -> refusing((Partition) one)).toList())
        : result;
  }

  private Partition refusing(Partition partition) {
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          if (refusal != null
              && method.getName().equals("call")
              && ((Call) args[0]).body() instanceof Call.Apply) {
            refusals++;
            return CompletableFuture.failedStage(refusal);
          }
          return method.invoke(partition, args);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @AfterEach
  void close() {
    refusal = null;
    advanceSeconds(5);
    punctual.close(Duration.ZERO);
  }

  private static Exception forNow() {
    return new Partition.RefusedForNowException("Too many requests", null);
  }

  private Delivery<String> claimed() {
    queue.schedule(Message.of("a").id("a"));
    return queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
  }

  private void advanceSeconds(int seconds) {
    for (int i = 0; i < 10 * seconds; i++) {
      clock.advance(Duration.ofMillis(100));
    }
  }

  static Stream<Named<Function<Delivery<String>, CompletionStage<?>>>> settlements() {
    return Stream.of(
        Named.of("ack", each -> each.async().ack()),
        Named.of("retry", delivery -> delivery.async().retry(Duration.ofHours(1))),
        Named.of("defer", delivery -> delivery.async().defer(Duration.ofHours(1))),
        Named.of("bury", delivery -> delivery.async().bury("no")),
        Named.of("release", each -> each.async().release()));
  }

  @ParameterizedTest
  @MethodSource("settlements")
  void settle_refusedForNow_isDoneWhenTheStoreAccepts(
      Function<Delivery<String>, CompletionStage<?>> settle) {
    Delivery<String> delivery = claimed();
    refusal = forNow();
    CompletableFuture<?> settled = settle.apply(delivery).toCompletableFuture();
    advanceSeconds(20);
    assertThat(settled).isNotDone();
    assertThat(refusals).as("with growing pauses").isBetween(5, 100);

    refusal = null;
    advanceSeconds(5);

    assertThat(settled).isCompleted();
    assertThat(queue.counts().leased()).isZero();
  }

  @Test
  void ack_refusedForNowUntilTheLeaseEnds_tellsTheCause() {
    Delivery<String> delivery = claimed();
    refusal = forNow();
    CompletableFuture<?> settled = delivery.async().ack().toCompletableFuture();
    advanceSeconds(40);

    assertThatThrownBy(settled::join)
        .hasCauseInstanceOf(StoreRefusedException.class)
        .hasMessageContaining("Too many requests");
  }

  @Test
  void ack_clientClosesBetweenTwoRepetitions_endsWithTheClose() {
    Delivery<String> delivery = claimed();
    refusal = forNow();
    CompletableFuture<?> settled = delivery.async().ack().toCompletableFuture();
    refusal = null;
    clock.advance(Duration.ofMillis(50));
    assertThat(settled).isNotDone();
    punctual.close(Duration.ZERO);

    assertThat(settled)
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ClientClosedException.class);
  }

  @Test
  void ack_refusedPermanently_endsAtOnce() {
    Delivery<String> delivery = claimed();
    refusal = new Partition.PartitionException("The journal has closed", null);
    CompletableFuture<?> settled = delivery.async().ack().toCompletableFuture();

    assertThatThrownBy(settled::join).hasCauseInstanceOf(StoreRefusedException.class);
  }

  static Stream<Exception> awayFailures() {
    return Stream.of(
        new Partition.NotSentException("MISCONF", null),
        new Partition.NotSentException(
            "The login was refused", new StoreRefusedException("WRONGPASS", null)));
  }

  @ParameterizedTest
  @MethodSource("awayFailures")
  void ack_storeAwayForLongerThanTheOperationTimeout_isDoneWhileTheLeaseLasts(Exception away) {
    queue.schedule(Message.of("a").id("a"));
    Delivery<String> delivery =
        queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(10))).get(0);
    refusal = away;
    CompletableFuture<?> settled = delivery.async().ack().toCompletableFuture();
    advanceSeconds(90);
    assertThat(settled).isNotDone();

    refusal = null;
    advanceSeconds(5);

    assertThat(settled).isCompleted();
  }

  @Test
  void schedule_refusedForNow_failsAtOnce() {
    refusal = forNow();
    assertThatThrownBy(() -> queue.schedule(Message.of("a").id("a")))
        .isInstanceOf(StoreRefusedException.class);
  }

  @Test
  void worker_whoseAckIsRefusedForNow_handlesTheMessageOnce() {
    List<String> handled = new ArrayList<>();
    queue.work(
        ManualWorld.inline().concurrency(1).lease(LEASE).build(),
        delivery -> {
          handled.add(delivery.id());
          refusal = forNow();
        });
    queue.schedule(Message.of("a").id("a"));
    advanceSeconds(10);
    refusal = null;
    advanceSeconds(60);

    assertThat(handled).containsExactly("a");
    assertThat(queue.counts().pending()).isZero();
  }
}
