package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Tests when the server checks in place of its clients, with stores that are slow or silent. */
final class WatchesCheckTest {
  private static final Place PLACE = new Place("orders", 0, 1);

  private final StoppedTimer timer = new StoppedTimer();
  private final SlowStore store = new SlowStore();
  private final StoreService service = new StoreService(store, timer);

  private static final class SlowStore extends ScriptedStore {
    final List<CompletableFuture<long[]>> asked = new ArrayList<>();
    Duration interval = Duration.ofSeconds(1);

    /** Whether nobody can wait for an answer, as if memory were short. */
    boolean fails;

    @Override
    public CompletionStage<long[]> untilNext(List<Partition> partitions) {
      if (fails) {
        return new CompletableFuture<>() {
          @Override
          public CompletableFuture<long[]> whenComplete(
              BiConsumer<? super long[], ? super Throwable> action) {
            throw new OutOfMemoryError("injected");
          }
        };
      }
      CompletableFuture<long[]> answer = new CompletableFuture<>();
      asked.add(answer);
      return answer;
    }

    @Override
    public Duration safetyCheckInterval(int partitions) {
      return interval;
    }
  }

  private CompletableFuture<Served> listen(long number) {
    Request.Listen listen = new Request.Listen("l", number, false, 600_000, List.of(PLACE));
    return service.serve("listen", Wire.write(Request.Listen.class, listen), Access.ALL);
  }

  /** Begins the first check, which a store leaves without an answer. */
  private CompletableFuture<Served> listenUntilCheck() {
    assertThat(listen(1)).isCompleted();
    CompletableFuture<Served> waiting = listen(2);
    timer.pass(store.interval.toNanos());
    assertThat(store.asked).hasSize(1);
    return waiting;
  }

  @Test
  void storeIsSlow_nextCheckIsPlannedAfterTheAnswer_atItsInterval() {
    CompletableFuture<Served> waiting = listenUntilCheck();
    for (int i = 0; i < 5; i++) {
      timer.pass(store.interval.toNanos());
    }
    assertThat(store.asked).as("one check at a time").hasSize(1);
    store.interval = Duration.ofSeconds(3);
    store.asked.get(0).complete(new long[] {4_000_000});
    assertThat(waiting).as("is due after the next check").isNotDone();
    timer.pass(Duration.ofMillis(2_900).toNanos());
    assertThat(store.asked).hasSize(1);
    timer.pass(Duration.ofMillis(100).toNanos());
    assertThat(store.asked).hasSize(2);
    store.asked.get(1).complete(new long[] {1_000_000});
    assertThat(waiting).isCompleted();
  }

  @Test
  void storeIsSilent_checksGoOn() {
    CompletableFuture<Served> first = listenUntilCheck();
    timer.pass(Duration.ofSeconds(60).toNanos());
    assertThat(first).as("the longest wait is over").isCompleted();
    CompletableFuture<Served> waiting = listen(3);
    timer.pass(store.interval.toNanos());
    assertThat(store.asked).hasSize(2);
    store.asked.get(1).completeExceptionally(new IllegalStateException("as asked"));
    timer.pass(store.interval.toNanos());
    assertThat(store.asked).hasSize(3);
    store.asked.get(0).complete(new long[] {0});
    assertThat(waiting).as("an answer that nobody waits for").isNotDone();
    store.asked.get(2).complete(new long[] {0});
    assertThat(waiting).isCompleted();
  }

  @Test
  void errorWhenTheNextCheckIsPlanned_nextListenBeginsChecksAgain() {
    CompletableFuture<Served> first = listenUntilCheck();
    timer.fails = true;
    store.asked.get(0).complete(new long[0]);
    timer.fails = false;
    CompletableFuture<Served> waiting = listen(3);
    assertThat(first).as("a later request of the same client ends it").isCompleted();
    timer.pass(store.interval.toNanos());
    assertThat(store.asked).hasSize(2);
    store.asked.get(1).complete(new long[] {0});
    assertThat(waiting).isCompleted();
  }

  @Test
  void errorWhileTheStoreIsAsked_leavesOneChainOfChecks() {
    assertThat(listen(1)).isCompleted();
    CompletableFuture<Served> first = listen(2);
    store.fails = true;
    assertThatThrownBy(() -> timer.pass(store.interval.toNanos()))
        .isInstanceOf(OutOfMemoryError.class);
    store.fails = false;
    CompletableFuture<Served> second = listen(3);
    timer.pass(store.interval.toNanos());
    assertThat(store.asked).hasSize(1);
    timer.pass(Duration.ofSeconds(60).toNanos());
    assertThat(first).isCompleted();
    assertThat(second).as("the longest wait is over").isCompleted();
    CompletableFuture<Served> waiting = listen(4);
    timer.pass(store.interval.toNanos());
    assertThat(waiting).isNotDone();
    assertThat(store.asked).hasSize(2);
  }
}
