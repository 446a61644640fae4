package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that can't be used, for each kind of reason. Each exception of a caller names the reason,
 * and the client reports the outage once.
 */
@Timeout(300)
@SuppressWarnings({"StaticAssignmentOfThrowable", "ImmutableEnumChecker"}) // Tests compare them.
class StoreFailureCauseTest {
  private static final Throwable ROOT = new ConnectException("the root of the failure");
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration SHORT = Duration.ofMillis(60);

  private final ManualWorld world = new ManualWorld();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private volatile RuntimeException failure;
  private volatile boolean answersEmptyCalls;
  private final Punctual client =
      Punctual.builder()
          .store(failing(world.store))
          .timer(world.clock)
          .operationTimeout(SECOND)
          .blockingTimeout(SHORT)
          .observer(events::add)
          .build();
  private final TimedQueue<String> queue = client.queue("orders", Codec.string());

  @AfterEach
  void close() {
    failure = null;
    world.advance(Duration.ofMinutes(2));
    client.close(Duration.ZERO);
    world.close();
  }

  private enum Reason {
    NOT_REACHED(new Partition.NotSentException("Redis could not be asked: refused", ROOT)),
    LOGIN_REFUSED(
        new Partition.NotSentException(
            "Redis could not be asked: WRONGPASS", new StoreRefusedException("WRONGPASS", ROOT))),
    CALL_REFUSED(new Partition.PartitionException("Redis refused: NOPERM", ROOT)),
    UNANSWERED(new PunctualException("Redis did not answer: reset", ROOT)),
    STORE_CLOSED(new Partition.NotSentException("The journal has been closed", null));

    private final RuntimeException failure;

    Reason(RuntimeException failure) {
      this.failure = failure;
    }

    /** Returns whether an exception of a caller may have this type. */
    boolean allows(Throwable thrown, boolean changes) {
      if (this == LOGIN_REFUSED || this == CALL_REFUSED) {
        return thrown instanceof StoreRefusedException;
      }
      return thrown instanceof StoreUnavailableException
          || (this == UNANSWERED && changes && thrown instanceof OutcomeUnknownException);
    }
  }

  private Map<String, Function<TimedQueue<String>, CompletionStage<?>>> changes() {
    Map<String, Function<TimedQueue<String>, CompletionStage<?>>> all = new LinkedHashMap<>();
    all.put("schedule", to -> to.async().schedule(Message.of("a")));
    all.put("cancel", to -> to.async().cancel("a"));
    all.put("cancelAll", to -> to.async().cancelAll(List.of("a", "b")));
    all.put("reschedule", to -> to.async().reschedule("a", Due.now()));
    all.put("runNow", to -> to.async().runNow("a"));
    all.put("limits", to -> to.async().setLimits(QueueLimits.none().concurrency(3)));
    all.put("pause", to -> to.async().pause());
    all.put("purge", to -> to.async().purge(EnumSet.of(State.DEAD)));
    return all;
  }

  private Map<String, Function<TimedQueue<String>, CompletionStage<?>>> questions() {
    Map<String, Function<TimedQueue<String>, CompletionStage<?>>> all = new LinkedHashMap<>();
    all.put("find", to -> to.async().find("a"));
    all.put("findAll", to -> to.async().findAll(List.of("a", "b")));
    all.put("counts", to -> to.async().counts());
    all.put("browse", to -> to.async().browse(MessageQuery.of(State.READY).limit(10)));
    all.put("forecast", to -> to.async().forecast(Instant.EPOCH, Instant.EPOCH.plus(SECOND), 1));
    all.put("limits", to -> to.async().limits());
    all.put("claim", to -> to.async().claim(1, ClaimOptions.DEFAULT.lease(SECOND)));
    all.put("take", to -> to.async().take(1, Duration.ZERO));
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void call_storeFails_exceptionHasTheReasonAndItsRoot(Reason reason) {
    queue.schedule(Message.of("first"));
    failure = reason.failure;
    changes().forEach((name, change) -> expect(reason, true, name, change));
    questions().forEach((name, question) -> expect(reason, false, name, question));
    assertThat(events).filteredOn(Event.StoreTrouble.class::isInstance).hasSize(1);
  }

  private void expect(
      Reason reason,
      boolean changes,
      String name,
      Function<TimedQueue<String>, CompletionStage<?>> call) {
    CompletableFuture<?> answer = call.apply(queue).toCompletableFuture();
    for (int i = 0; i < 30 && !answer.isDone(); i++) {
      world.advance(SECOND);
    }
    Throwable thrown = catchThrowable(answer::join);
    assertThat(thrown).as(name).isInstanceOf(CompletionException.class);
    assertThat(reason.allows(thrown.getCause(), changes)).as("%s: %s", name, thrown).isTrue();
    expectReason(reason, name, thrown.getCause());
  }

  private static void expectReason(Reason reason, String name, Throwable thrown) {
    assertThat(thrown).as(name).hasMessageContaining(reason.failure.getMessage());
    if (reason != Reason.STORE_CLOSED) {
      assertThat(thrown).as(name).hasRootCause(ROOT);
    }
  }

  @ParameterizedTest
  @EnumSource
  void blockingCall_storeFails_exceptionHasTheReasonAndItsRoot(Reason reason) {
    queue.schedule(Message.of("held"));
    Delivery<String> held =
        queue.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5))).get(0);
    failure = reason.failure;
    // The client has noticed the failure before the time-out of the calls.
    CompletionStage<?> unused = queue.async().schedule(Message.of("first"));
    List<Throwable> thrown =
        List.of(
            catchThrowable(() -> queue.schedule(Message.of("a"))),
            catchThrowable(() -> queue.scheduleAll(List.of(Message.of("b"), Message.of("c")))),
            catchThrowable(() -> queue.cancel("a")),
            catchThrowable(() -> queue.find("a")),
            catchThrowable(held::ack));
    for (Throwable each : thrown) {
      assertThat(each).isInstanceOf(PunctualException.class);
      expectReason(reason, "blocking", each);
    }
  }

  @Test
  void call_afterTheStoreAnsweredAgain_hasNoOldReason() {
    failure = Reason.NOT_REACHED.failure;
    CompletableFuture<?> lost = queue.async().schedule(Message.of("a")).toCompletableFuture();
    world.advance(Duration.ofSeconds(3));
    assertThat(lost).isCompletedExceptionally();
    failure = null;
    queue.withTimeout(Duration.ofSeconds(60)).find("a");
    CompletableFuture<?> stored = queue.async().schedule(Message.of("b")).toCompletableFuture();
    world.advance(Duration.ofSeconds(10));
    assertThat(stored).isCompleted();
    assertThat(client.status().reachable()).isTrue();
  }

  /** A read-only database, for example, answers a call that changes nothing. */
  @Test
  void changes_refusedByAStoreThatAnswersEmptyCalls_areOneOutage() {
    queue.schedule(Message.of("first"));
    failure = Reason.CALL_REFUSED.failure;
    answersEmptyCalls = true;
    for (int i = 0; i < 5; i++) {
      expect(Reason.CALL_REFUSED, true, "schedule", to -> to.async().schedule(Message.of("a")));
      world.advance(Duration.ofSeconds(4));
      assertThat(client.status().reachable()).isFalse();
    }
    assertThat(outages()).singleElement().isInstanceOf(Event.StoreTrouble.class);
    failure = null;
    queue.schedule(Message.of("last"));
    assertThat(client.status().reachable()).isTrue();
    assertThat(outages()).hasSize(2).last().isInstanceOf(Event.StoreRecovered.class);
  }

  private List<Event> outages() {
    return events.stream()
        .filter(each -> each instanceof Event.StoreTrouble || each instanceof Event.StoreRecovered)
        .toList();
  }

  private Store failing(Store store) {
    return proxy(
        Store.class,
        (proxy, method, args) -> {
          Object result = method.invoke(store, args);
          return method.getName().equals("partitions")
              ? ((CompletionStage<?>) result)
                  .thenApply(all -> ((List<?>) all).stream().map(this::failing).toList())
              : result;
        });
  }

  private Partition failing(Object partition) {
    Set<String> plain = Set.of("queue", "index", "operationsPerCall", "prefersBatching");
    return proxy(
        Partition.class,
        (proxy, method, args) -> {
          boolean answers = CompletionStage.class.isAssignableFrom(method.getReturnType());
          return failure == null
                  || !answers
                  || plain.contains(method.getName())
                  || (answersEmptyCalls && isEmptyCall(args[0]))
              ? method.invoke(partition, args)
              : CompletableFuture.failedFuture(failure);
        });
  }

  private static boolean isEmptyCall(Object argument) {
    return argument instanceof Call call
        && call.body() instanceof Call.Apply apply
        && apply.operations().isEmpty();
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
