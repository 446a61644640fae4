package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class DeadHandlerOfClaimTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualWorld world = new ManualWorld();
  private final CountDownLatch leave = new CountDownLatch(1);
  private final List<String> dead = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    leave.countDown();
    world.close();
  }

  private void scheduleExpired(String id) {
    world.queue.schedule(Message.of(id).id(id).notAfter(world.clock.instant().plusSeconds(1)));
    world.advance(LEASE);
  }

  private TimedQueue<String> blockingQueue() {
    return world.queue.withDeadHandler(
        (delivery, reason, failure) -> {
          // The time-out keeps the test from hanging if the handler runs on the thread of the
          // claim.
          boolean unused = leave.await(1, TimeUnit.MINUTES);
          dead.add(delivery.id() + " " + reason);
        });
  }

  private void awaitDead(String id) {
    Awaitility.await().until(() -> world.queue.find(id).orElseThrow().state() == State.DEAD);
  }

  @Test
  void deadHandlerBlocks_claimReturnsTheOtherMessages() {
    scheduleExpired("a");
    world.queue.schedule(Message.of("b").id("b"));
    List<Delivery<String>> claimed = blockingQueue().claim(2, ClaimOptions.DEFAULT.lease(LEASE));
    assertThat(claimed).extracting(Delivery::id).containsExactly("b");
    assertThat(dead).isEmpty();
    leave.countDown();
    awaitDead("a");
    assertThat(dead).containsExactly("a EXPIRED");
  }

  @Test
  void deadHandlerBlocks_onlyExpiredMessages_claimGoesOn() {
    scheduleExpired("a");
    CompletableFuture<List<Delivery<String>>> claim =
        blockingQueue()
            .async()
            .claim(2, ClaimOptions.DEFAULT.lease(LEASE).maxWait(SECOND))
            .toCompletableFuture();
    assertThat(dead).isEmpty();
    world.queue.schedule(Message.of("b").id("b"));
    assertThat(claim).isCompleted();
    assertThat(claim.join()).extracting(Delivery::id).containsExactly("b");
    leave.countDown();
    awaitDead("a");
  }

  @Test
  void asyncClaim_deadHandlerMayBlock() {
    scheduleExpired("a");
    List<State> seen = new CopyOnWriteArrayList<>();
    TimedQueue<String> queue =
        world.queue.withDeadHandler(
            (delivery, reason, failure) ->
                seen.add(world.queue.find(delivery.id()).orElseThrow().state()));
    assertThat(queue.async().claim(2, ClaimOptions.DEFAULT.lease(LEASE)))
        .isCompletedWithValue(List.of());
    awaitDead("a");
    assertThat(seen).containsExactly(State.LEASED);
  }

  @Test
  void noThreadIsFree_retriedLater() {
    for (int i = 0; i < 17; i++) {
      world.queue.schedule(
          Message.of("a").id("a" + i).notAfter(world.clock.instant().plusSeconds(1)));
    }
    world.advance(LEASE);
    TimedQueue<String> queue = blockingQueue();
    for (int i = 0; i < 17; i++) {
      assertThat(queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE))).isEmpty();
    }
    assertThat(world.queue.counts().leased()).isEqualTo(16);
    assertThat(world.queue.counts().scheduled()).isEqualTo(1);
    leave.countDown();
    Awaitility.await().until(() -> world.queue.counts().dead() == 16);
  }
}
