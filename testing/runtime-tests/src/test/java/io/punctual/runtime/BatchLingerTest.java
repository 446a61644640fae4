package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests batches that wait for more messages. */
class BatchLingerTest {
  private static final Duration LINGER = Duration.ofMillis(50);
  private static final Duration MILLI = Duration.ofMillis(1);

  private ManualWorld world = new ManualWorld();
  private final List<List<String>> batches = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private static WorkerOptions.Builder options() {
    return inline().batchSize(3).batchLinger(LINGER);
  }

  private Worker work(WorkerOptions.Builder options) {
    return world.queue.workBatches(
        options.build(),
        deliveries -> batches.add(deliveries.stream().map(Delivery::payload).sorted().toList()));
  }

  private void schedule(String... payloads) {
    for (String payload : payloads) {
      world.queue.schedule(Message.of(payload).id(payload));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void workBatch_fullBatch_startsAtOnce(int partitions) {
    world.close();
    world = new ManualWorld(partitions);
    Worker worker = work(options().concurrency(1));
    schedule("a", "b");
    assertThat(batches).isEmpty();
    schedule("c");
    assertThat(batches).containsExactly(List.of("a", "b", "c"));
    assertThat(worker.running()).isZero();
    assertThat(world.queue.counts().leased()).isZero();
  }

  @Test
  void workBatch_partialBatch_startsAfterTheLinger() {
    work(options().concurrency(1));
    schedule("a");
    world.advance(LINGER.minus(MILLI));
    schedule("b");
    assertThat(batches).isEmpty();
    world.advance(MILLI);
    assertThat(batches).containsExactly(List.of("a", "b"));
    schedule("c");
    world.advance(LINGER.minus(MILLI));
    assertThat(batches).hasSize(1);
    world.advance(MILLI);
    assertThat(batches).containsExactly(List.of("a", "b"), List.of("c"));
  }

  @Test
  void workBatch_noLinger_partialBatchStartsAtOnce() {
    work(options().batchLinger(Duration.ZERO));
    schedule("a");
    assertThat(batches).containsExactly(List.of("a"));
  }

  @Test
  void workBatch_moreMessagesThanABatch_onlyTheRestWaits() {
    world.queue.scheduleAll(IntStream.range(0, 7).mapToObj(i -> Message.of("m" + i)).toList());
    work(options());
    assertThat(batches).containsExactly(List.of("m0", "m1", "m2"), List.of("m3", "m4", "m5"));
    world.advance(LINGER);
    assertThat(batches).hasSize(3).endsWith(List.of("m6"));
  }

  @Test
  void close_partialBatch_isReleasedAndNotCounted() {
    Worker worker = work(options());
    schedule("a");
    worker.close();
    assertThat(batches).isEmpty();
    assertThat(world.queue.find("a").orElseThrow().attempts()).isZero();
    assertThat(world.queue.counts().ready()).isEqualTo(1);
  }

  @Test
  void pause_partialBatch_isReleasedAndComesAfterTheResume() {
    Worker worker = work(options().concurrency(1));
    schedule("a");
    worker.pause();
    assertThat(world.queue.counts().ready()).isEqualTo(1);
    world.advance(LINGER);
    assertThat(batches).isEmpty();
    worker.resume();
    world.advance(LINGER);
    assertThat(batches).containsExactly(List.of("a"));
  }

  @Test
  void workBatch_messageExpiresInTheLinger_startsAtOnce() {
    work(options());
    world.queue.schedule(Message.of("a").notAfter(world.clock.instant().plus(MILLI)));
    assertThat(batches).containsExactly(List.of("a"));
  }

  @Test
  void workBatch_cancelledInTheLinger_isNotDeliveredAgain() {
    work(options());
    schedule("a");
    assertThat(world.queue.cancel("a")).isEqualTo(CancelOutcome.RUNNING);
    world.advance(LINGER);
    assertThat(batches).containsExactly(List.of("a"));
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void workBatch_executorIsLateForOneOfTwoLeases_bothMessagesComeBack() {
    Duration lease = Duration.ofMillis(100);
    List<Runnable> dropped = new ArrayList<>();
    work(options().lease(lease).executor(dropped::add).concurrency(1));
    schedule("a");
    world.advance(LINGER.minus(MILLI));
    schedule("b");
    world.advance(MILLI);
    assertThat(dropped).hasSize(1);
    world.advance(lease.multipliedBy(2));
    assertThat(world.queue.find("a").orElseThrow().attempts()).isLessThanOrEqualTo(1);
    assertThat(dropped).hasSizeGreaterThan(1);
  }

  @Test
  void batchLinger_badValues_areRejected() {
    assertThatThrownBy(() -> options().batchLinger(MILLI.negated()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must not be negative");
    WorkerOptions.Builder tooLong = options().lease(Duration.ofMillis(99));
    assertThatThrownBy(tooLong::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most half of the lease of PT0.099S, but was PT0.05S");
    assertThat(options().build().toBuilder().build().batchLinger()).isEqualTo(LINGER);
  }
}
