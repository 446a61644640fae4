package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that while a partition does not answer, the remaining partitions continue, and no caller
 * waits forever.
 */
class SilentPartitionTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).partitions(2).build();
  private final SilentPartitionStore store = new SilentPartitionStore(memory);
  private final Punctual punctual = Punctual.builder().store(store).timer(clock).build();
  private final TimedQueue<String> queue = punctual.queue("orders", Codec.string());
  private final Punctual healthy = Punctual.builder().store(memory).timer(clock).build();
  private final TimedQueue<String> direct = healthy.queue("orders", Codec.string());
  private final List<String> handled = new ArrayList<>();

  @AfterEach
  void close() {
    store.speak();
    punctual.close(Duration.ZERO);
    healthy.close(Duration.ZERO);
  }

  /** Schedules 20 messages, enough to have messages in both partitions. */
  private void scheduleTwenty() {
    for (int i = 0; i < 20; i++) {
      direct.schedule(Message.of("m" + i).id("m" + i));
    }
  }

  @Test
  void work_onePartitionSilent_theOthersGetItsPermits() {
    queue.work(
        ManualWorld.inline().concurrency(1).build(), delivery -> handled.add(delivery.payload()));
    scheduleTwenty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(handled).isNotEmpty().hasSizeLessThan(20);
    store.speak();
    clock.advance(Duration.ofSeconds(2));
    assertThat(handled).hasSize(20).doesNotHaveDuplicates();
  }

  @Test
  void work_onePartitionSilent_theOthersGetItsRoomOfThePrefetch() {
    queue.workStages(
        ManualWorld.inline().concurrency(1).prefetch(4).build(),
        delivery -> new CompletableFuture<>());
    scheduleTwenty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(direct.counts().leased()).as("a handler, and a full prefetch").isEqualTo(1 + 4);
  }

  @Test
  void work_partitionAnswersWhenItsPermitsAreInUse_whatIsTooMuchIsGivenBack() {
    List<CompletableFuture<Void>> open = new ArrayList<>();
    queue.workStages(
        ManualWorld.inline().concurrency(4).build(),
        delivery -> {
          assertThat(delivery.attempt()).isEqualTo(1);
          open.add(new CompletableFuture<>());
          return open.get(open.size() - 1);
        });
    scheduleTwenty();
    clock.advance(Duration.ofSeconds(2));
    assertThat(open).hasSize(4);
    store.speak();
    assertThat(open).hasSize(4);
    assertThat(direct.counts().leased()).isEqualTo(4);
    for (int i = 0; i < 20; i++) {
      open.get(i).complete(null);
    }
    assertThat(direct.counts().pending()).isZero();
  }

  @Test
  void claim_noAnswer_failsAfterTheWaitAndTheOperationTimeout() {
    CompletableFuture<List<Delivery<String>>> claim =
        queue
            .async()
            .claim(1, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofSeconds(5)))
            .toCompletableFuture();
    clock.advance(Duration.ofSeconds(64));
    assertThat(claim).isNotDone();
    clock.advance(Duration.ofSeconds(1));
    assertThatThrownBy(claim::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreUnavailableException.class);
    scheduleTwenty();
    store.speak();
    assertThat(direct.counts().leased()).isZero();
    assertThat(direct.counts().pending()).isEqualTo(20);
  }

  @Test
  void safetyCheck_theStoreThrows_asksAgain() {
    queue.work(ManualWorld.inline().build(), delivery -> handled.add(delivery.payload()));
    store.throwing = true;
    clock.advance(Duration.ofSeconds(10));
    assertThat(store.questions).isEqualTo(10);
  }

  @Test
  void close_theLastAnswerComesOnAThreadOfTheStore_itIsNotTheOneThatClosesTheStore() {
    punctual.close(Duration.ZERO);
    assertThat(store.closedBy).isNotEqualTo(Thread.currentThread().getName());
  }
}
