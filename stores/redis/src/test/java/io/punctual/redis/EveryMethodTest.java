package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.AsyncDelivery;
import io.punctual.AsyncTimedQueue;
import io.punctual.ClaimOptions;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.deadletter.AsyncDeadLetters;
import io.punctual.deadletter.DeadLetters;
import io.punctual.event.Event;
import io.punctual.kit.redis.RedisProcess;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that the methods of the API fail as documented while the store is unavailable, and after
 * the client is closed.
 */
@Timeout(300)
final class EveryMethodTest {
  /**
   * Methods that are not called, because they close objects that other calls need, or wait until an
   * object is closed.
   */
  private static final Set<String> ENDS = Set.of("close", "closeAsync", "await");

  private final List<Event> events = new CopyOnWriteArrayList<>();
  private final Deque<Delivery<String>> deliveries = new ArrayDeque<>();
  private final List<ApiWalk.End> ends = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private RedisProcess redis;
  private Punctual punctual;
  private TimedQueue<String> queue;
  private DeadLetters<String> deadLetters;
  private Worker worker;

  @BeforeEach
  void open() {
    redis = RedisProcess.start();
    String url = redis.url() + "?timeout=500ms&connectTimeout=15s&durabilityTimeout=100ms";
    punctual =
        Punctual.builder()
            .url(url)
            .operationTimeout(Duration.ofSeconds(2))
            .blockingTimeout(Duration.ofSeconds(2))
            .observer(events::add)
            .build();
    queue = punctual.queue("orders", Codec.string());
    deadLetters = queue.deadLetters();
    worker = punctual.queue("idle", Codec.string()).work(delivery -> {});
    int needed =
        ApiWalk.methods(Delivery.class).size() + ApiWalk.methods(AsyncDelivery.class).size();
    queue.scheduleAll(IntStream.range(0, needed).mapToObj(i -> Message.of("m" + i)).toList());
    while (deliveries.size() < needed) {
      deliveries.addAll(
          queue.claim(
              needed,
              ClaimOptions.DEFAULT.lease(Duration.ofSeconds(20)).maxWait(Duration.ofSeconds(10))));
    }
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    punctual.close(Duration.ZERO);
    redis.close();
  }

  private void walk() throws Exception {
    List<Callable<ApiWalk.End>> calls = new ArrayList<>();
    calls.addAll(calls(TimedQueue.class, queue));
    calls.addAll(calls(AsyncTimedQueue.class, queue.async()));
    calls.addAll(calls(DeadLetters.class, deadLetters));
    calls.addAll(calls(AsyncDeadLetters.class, deadLetters.async()));
    calls.addAll(calls(Punctual.class, punctual));
    calls.addAll(calls(Worker.class, worker));
    for (Method method : ApiWalk.methods(Delivery.class)) {
      Delivery<String> delivery = deliveries.remove();
      calls.add(() -> ApiWalk.call(delivery, method));
    }
    for (Method method : ApiWalk.methods(AsyncDelivery.class)) {
      AsyncDelivery<String> delivery = deliveries.remove().async();
      calls.add(() -> ApiWalk.call(delivery, method));
    }
    for (Future<ApiWalk.End> end : threads.invokeAll(calls)) {
      ends.add(end.get());
    }
    for (ApiWalk.End end : ends) {
      assertNoSpi(end.method(), end.failure());
    }
    for (Event event : events) {
      if (event instanceof Event.StoreTrouble trouble) {
        assertNoSpi(event, trouble.failure());
      }
    }
  }

  private static List<Callable<ApiWalk.End>> calls(Class<?> type, Object on) {
    List<Callable<ApiWalk.End>> calls = new ArrayList<>();
    for (Method method : ApiWalk.methods(type)) {
      if (!ENDS.contains(method.getName())) {
        calls.add(() -> ApiWalk.call(on, method));
      }
    }
    return calls;
  }

  private static void assertNoSpi(Object where, @Nullable Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      assertThat(each.getClass().getName()).as("%s", where).doesNotStartWith("io.punctual.spi");
      assertThat(each.toString()).as("%s", where).doesNotContain("io.punctual.spi");
      for (Throwable beside : each.getSuppressed()) {
        assertNoSpi(where, beside);
      }
    }
  }

  /**
   * Asserts that each failed call has an allowed exception. Methods that need no store may succeed.
   */
  private void assertEnds(Class<?>... allowed) {
    assertThat(ends)
        .filteredOn(end -> end.failure() != null)
        .hasSizeGreaterThan(40)
        .allSatisfy(
            end -> assertThat(end.failure()).as("%s", end.method()).isInstanceOfAny(allowed));
  }

  private void awaitTrouble(Class<? extends RuntimeException> type) {
    Awaitility.await()
        .untilAsserted(
            () -> {
              Throwable failure = null;
              try {
                queue.counts();
              } catch (RuntimeException e) {
                failure = e;
              }
              assertThat(failure).isInstanceOf(type);
            });
  }

  @Test
  @Tag("extended")
  void everyMethod_storeDown_saysItWasNotDone() throws Exception {
    redis.kill();
    awaitTrouble(StoreUnavailableException.class);
    walk();
    // A change whose deadline passes while it waits for a connection may still be sent later.
    assertEnds(StoreUnavailableException.class, OutcomeUnknownException.class);
    assertThat(ends)
        .filteredOn(end -> end.failure() instanceof OutcomeUnknownException)
        .allSatisfy(end -> assertThat(end.failure()).hasMessageNotContaining("was sent"));
    assertThat(events).anyMatch(Event.StoreTrouble.class::isInstance);
  }

  @Test
  @Tag("extended")
  void everyMethod_storeFrozen_saysItMayHaveBeenDone() throws Exception {
    redis.freeze();
    try {
      walk();
    } finally {
      redis.thaw();
    }
    assertEnds(StoreUnavailableException.class, OutcomeUnknownException.class);
  }

  @Test
  @Tag("extended")
  void everyMethod_storeRefusesThePassword_saysSo() throws Exception {
    redis.ask("CONFIG", "SET", "requirepass", "changed");
    redis.askAs("changed", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    awaitTrouble(StoreRefusedException.class);
    walk();
    assertEnds(
        StoreRefusedException.class,
        StoreUnavailableException.class,
        OutcomeUnknownException.class);
    assertThat(ends).anyMatch(end -> String.valueOf(end.failure()).contains("NOAUTH"));
  }

  @Test
  void blockingCall_inACallbackOnAThreadOfRedis_isRefused() throws Exception {
    Thread caller = Thread.currentThread();
    for (boolean seen = false; !seen; ) {
      CompletionStage<Boolean> refused =
          queue
              .async()
              .schedule(Message.of("later").dueIn(Duration.ofHours(1)))
              .thenApply(s -> Thread.currentThread() != caller && refusesToCancel(s.id()));
      seen = refused.toCompletableFuture().get();
    }
  }

  private boolean refusesToCancel(String id) {
    try {
      queue.cancel(id);
      throw new AssertionError("the call was not refused");
    } catch (IllegalStateException e) {
      return true;
    }
  }

  @Test
  void everyMethod_clientClosed_saysThatTryingAgainIsNoUse() throws Exception {
    punctual.close(Duration.ZERO);
    walk();
    assertEnds(ClientClosedException.class);
  }
}
