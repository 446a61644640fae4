package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.collection.DelayedQueue;
import io.punctual.collection.DueQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the collection views of a queue whose store goes away between two steps: no element is
 * lost.
 */
class CollectionFailureTest {
  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  @Test
  void dueQueue_storeGoesAwayWhileItDrains_returnsWhatItHasTaken() {
    List.of("a", "b").forEach(each -> world.queue.schedule(each, Duration.ofSeconds(1)));
    world.advance(Duration.ofSeconds(1));
    DueQueue<String> due = DueQueue.of(failing("take", 1));
    List<String> taken = new ArrayList<>();
    assertThat(due.drainTo(taken)).isEqualTo(2);
    assertThat(taken).containsExactly("a", "b");
    assertThatThrownBy(() -> due.drainTo(taken)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void delayedQueue_storeGoesAwayWhileItPolls_returnsWhatItHasRemoved() {
    DelayedQueue<String> delayed = DelayedQueue.of(failing("cancelAll", 1));
    for (int i = 0; i < 250; i++) {
      delayed.offer("m" + i, 1 + i, TimeUnit.HOURS);
    }
    assertThat(delayed.poll(249)).hasSize(200).startsWith("m0", "m1").endsWith("m199");
    assertThat(delayed).hasSize(50).contains("m200");
    assertThatThrownBy(() -> delayed.poll(2)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void dueQueue_storeDoesNotAnswerForHalfAnHour_takeWaitsForIt() {
    HeldClaims held = new HeldClaims();
    try (Punctual slow =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      DueQueue<String> due = DueQueue.of(slow.queue("orders", Codec.string()));
      world.queue.schedule(Message.of("a").id("1"));
      CompletableFuture<String> taken = CompletableFuture.supplyAsync(() -> take(due));
      await().until(() -> world.queue.find("1").isEmpty());
      world.advance(Duration.ofMinutes(30));
      assertThat(taken).isNotDone();
      held.answer();
      assertThat(taken.join()).isEqualTo("a");
    }
  }

  private static String take(DueQueue<String> due) {
    try {
      return due.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the queue; {@code method} fails after {@code succeeding} successful calls. */
  @SuppressWarnings("unchecked")
  private TimedQueue<String> failing(String method, int succeeding) {
    AtomicInteger calls = new AtomicInteger();
    TimedQueue<String> queue = world.punctual.queue("orders", Codec.string());
    return (TimedQueue<String>)
        Proxy.newProxyInstance(
            TimedQueue.class.getClassLoader(),
            new Class<?>[] {TimedQueue.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals(method) && calls.incrementAndGet() > succeeding) {
                throw new StoreUnavailableException("The store has gone away", null);
              }
              try {
                return called.invoke(queue, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
