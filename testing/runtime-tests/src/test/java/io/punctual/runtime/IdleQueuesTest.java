package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a client and the memory store forget queues that nothing uses, and only those. */
class IdleQueuesTest {
  private static final Duration IDLE = Duration.ofMinutes(10);

  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final Map<String, Integer> lookUps = new ConcurrentHashMap<>();
  private final Map<String, WeakReference<Object>> partitions = new ConcurrentHashMap<>();
  private final Punctual punctual = Punctual.builder().store(watched()).timer(clock).build();

  @AfterEach
  void close() {
    punctual.close(Duration.ZERO);
  }

  /** Returns the memory store, and notes the look-ups of queues and their partitions. */
  private Store watched() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(memory, arguments);
                if (method.getName().equals("partitions")) {
                  String queue = (String) arguments[0];
                  lookUps.merge(queue, 1, Integer::sum);
                  partitions.put(queue, new WeakReference<>(first(answer)));
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @SuppressWarnings("unchecked") // The type of the method that was called.
  private static Object first(Object answer) {
    return ((CompletionStage<List<Partition>>) answer).toCompletableFuture().join().get(0);
  }

  private TimedQueue<String> queue(String name) {
    return punctual.queue(name, Codec.string());
  }

  private void use(String name) {
    TimedQueue<String> queue = queue(name);
    queue.schedule(Message.of("x").id("a").dueIn(Duration.ofDays(30)));
    assertThat(queue.find("a")).isPresent();
    queue.cancel("a");
    assertThat(queue.counts().scheduled()).isZero();
  }

  private boolean isForgotten(String queue) {
    return Objects.requireNonNull(partitions.get(queue)).refersTo(null);
  }

  /** Collects garbage until nothing holds the partition of a queue any more. */
  private void requireForgotten(String queue) {
    for (int i = 0; i < 100; i++) {
      System.gc();
      if (isForgotten(queue)) {
        return;
      }
    }
    fail("Queue '" + queue + "' is still in memory");
  }

  private void requireKept(String queue) {
    assertThat(isForgotten(queue)).as("queue %s forgotten", queue).isFalse();
  }

  @Test
  void emptyQueue_withoutLookUpForTheIdleTime_isForgotten() {
    use("tenant-1");
    requireKept("tenant-1");
    clock.advance(IDLE);
    requireForgotten("tenant-1");
    assertThat(punctual.queues()).containsExactly("tenant-1");
    use("tenant-1");
    assertThat(lookUps).containsEntry("tenant-1", 2);
  }

  @Test
  void emptyQueue_lookedUpWithinTheIdleTime_isNotOpenedAgain() {
    use("tenant-1");
    clock.advance(IDLE.dividedBy(3));
    System.gc();
    use("tenant-1");
    clock.advance(IDLE.dividedBy(3));
    System.gc();
    use("tenant-1");
    assertThat(lookUps).containsEntry("tenant-1", 1);
  }

  @Test
  void deletedQueue_isForgottenAtOnce() {
    use("tenant-1");
    punctual.deleteQueue("tenant-1");
    requireForgotten("tenant-1");
    assertThat(punctual.queues()).isEmpty();
  }

  @Test
  void clientWithoutQueuesInUse_leavesNoTimer() {
    use("tenant-1");
    clock.advance(IDLE);
    requireForgotten("tenant-1");
    clock.advance(IDLE);
    assertThat(clock.pendingTasks()).isZero();
  }

  @Test
  void queueWithMessage_ofIdleClient_keepsIt() {
    queue("tenant-1").schedule(Message.of("x").id("a").dueIn(Duration.ofDays(1)));
    clock.advance(IDLE);
    System.gc();
    clock.advance(IDLE);
    requireKept("tenant-1");
    assertThat(queue("tenant-1").find("a").orElseThrow().state()).isEqualTo(State.SCHEDULED);
  }

  @Test
  void rememberedId_ofForgottenQueue_isKeptUntilItExpires() {
    Message<String> message = Message.of("x").id("a").rememberFor(Duration.ofHours(1));
    queue("tenant-1").schedule(message);
    assertThat(queue("tenant-1").claim(1, ClaimOptions.DEFAULT).get(0).ack())
        .isEqualTo(SettleOutcome.DONE);
    clock.advance(IDLE);
    System.gc();
    requireKept("tenant-1");
    clock.advance(Duration.ofHours(1));
    use("other");
    requireForgotten("tenant-1");
  }

  @Test
  void heldView_afterTheIdleTime_usesTheSameSession() {
    TimedQueue<String> held = queue("tenant-1");
    held.schedule(Message.of("x").id("a"));
    clock.advance(IDLE.multipliedBy(3));
    System.gc();
    clock.advance(IDLE);
    assertThat(held.cancel("a")).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(queue("tenant-1").counts().scheduled()).isZero();
    assertThat(lookUps).containsEntry("tenant-1", 1);
  }

  @Test
  void heldDelivery_afterTheIdleTime_isSettled() {
    queue("tenant-1").schedule(Message.of("x").id("a"));
    Delivery<String> held =
        queue("tenant-1").claim(1, ClaimOptions.DEFAULT.lease(Duration.ofDays(1))).get(0);
    clock.advance(IDLE.multipliedBy(3));
    System.gc();
    assertThat(held.ack()).isEqualTo(SettleOutcome.DONE);
    assertThat(queue("tenant-1").find("a")).isEmpty();
  }

  @Test
  void deliveryOfDeletedQueue_lateAck_doesNotAckTheMessageOfTheNextQueue() {
    queue("tenant-1").schedule(Message.of("x").id("a"));
    String old = queue("tenant-1").claim(1, ClaimOptions.DEFAULT).get(0).receipt().token();
    queue("tenant-1").purge(Set.of(State.values()));
    punctual.deleteQueue("tenant-1");
    requireForgotten("tenant-1");
    queue("tenant-1").schedule(Message.of("y").id("a"));
    String next = queue("tenant-1").claim(1, ClaimOptions.DEFAULT).get(0).receipt().token();
    assertThat(next).isNotEqualTo(old);
  }

  /** The heap in use after garbage collections, in bytes. */
  private static long heap() {
    System.gc();
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Uses queues in turn for a look, for a message that is cancelled, and until their deletion. */
  private void lookAtMany(int count) {
    for (int i = 0; i < count; i++) {
      String name = "tenant-" + i;
      if (i % 3 == 0) {
        assertThat(queue(name).find("a")).isEmpty();
      } else {
        use(name);
      }
      if (i % 3 == 2) {
        assertThat(punctual.deleteQueue(name)).isEqualTo(DeleteQueueOutcome.DELETED);
      }
    }
  }

  @Test
  void manyQueues_lookedAtOnce_areForgottenAndThoseInUseAreNot() {
    List<String> handled = new ArrayList<>();
    List<Delivery<String>> held = new ArrayList<>();
    List<CompletableFuture<List<Delivery<String>>>> waiting = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      TimedQueue<String> used = queue("used-" + i);
      switch (i % 4) {
        case 0 -> used.work(inline().build(), delivery -> handled.add(delivery.payload()));
        case 1 -> {
          used.schedule(Message.of("x").id("a"));
          held.addAll(used.claim(1, ClaimOptions.DEFAULT.lease(Duration.ofDays(1))));
        }
        case 2 ->
            waiting.add(
                used.async()
                    .claim(1, ClaimOptions.DEFAULT.maxWait(Duration.ofHours(1)))
                    .toCompletableFuture());
        default -> used.schedule(Message.of("x").id("a").dueIn(Duration.ofMinutes(30)));
      }
    }
    lookAtMany(5_000);
    clock.advance(IDLE);
    for (int i = 0; i < 5_000; i += 500) {
      requireForgotten("tenant-" + i);
    }
    for (int i = 0; i < 20; i++) {
      requireKept("used-" + i);
      if (i % 4 == 0 || i % 4 == 2) {
        queue("used-" + i).schedule(Message.of("y" + i));
      }
    }
    clock.advance(Duration.ofMinutes(20));
    assertThat(handled).containsExactlyInAnyOrder("y0", "y4", "y8", "y12", "y16");
    assertThat(waiting).allMatch(claim -> claim.join().size() == 1);
    assertThat(held).allMatch(delivery -> delivery.ack() == SettleOutcome.DONE);
    assertThat(queue("used-3").counts().ready()).isEqualTo(1);
    assertThat(lookUps.entrySet())
        .filteredOn(each -> each.getKey().startsWith("used-") && !each.getKey().equals("used-3"))
        .allMatch(each -> each.getValue() == 1);
  }

  @Test
  @Tag("extended")
  void manyQueues_lookedAtOnce_theHeapIsBackAfterTheIdleTime() {
    lookAtMany(5_000);
    clock.advance(IDLE);
    lookUps.clear();
    partitions.clear();
    long before = heap();
    lookAtMany(50_000);
    clock.advance(IDLE);
    lookUps.clear();
    partitions.clear();
    heap();
    clock.advance(IDLE);
    assertThat(heap() - before).isLessThan(10_000_000);
  }
}
