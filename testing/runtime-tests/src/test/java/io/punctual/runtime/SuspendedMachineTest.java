package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A machine that is suspended: its monotonic clock stands still, and its wall clock and the store's
 * clock go on. Another process receives its messages meanwhile.
 */
class SuspendedMachineTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SUSPENDED = Duration.ofMinutes(5);

  /** The clock of the machine; a step of its wall clock is a suspension. */
  private final ManualClock machine = new ManualClock();

  private final MemoryStore store = MemoryStore.builder().clock(machine).build();
  private final Punctual client = client(machine);
  private final TimedQueue<String> queue = client.queue("q", Codec.string());
  private final List<String> started = new ArrayList<>();

  private Punctual client(ManualClock clock) {
    return Punctual.builder().store(store).timer(clock).build();
  }

  @AfterEach
  void close() {
    client.close(Duration.ZERO);
  }

  private void schedule(int messages) {
    for (int i = 0; i < messages; i++) {
      queue.schedule(Message.of("x").id("m" + i));
    }
  }

  private void suspend() {
    machine.step(SUSPENDED);
  }

  @Test
  void messageWaitsForAThread_itsHandlerDoesNotStart() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    queue.work(
        WorkerOptions.builder().concurrency(1).lease(LEASE).executor(waiting::add).build(),
        delivery -> started.add(delivery.id()));
    schedule(1);
    assertThat(waiting).hasSize(1);
    suspend();
    waiting.remove().run();
    assertThat(started).isEmpty();
  }

  @Test
  void messageWaitsInThePrefetch_doesNotStart() {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    queue.workStages(
        WorkerOptions.builder()
            .concurrency(1)
            .prefetch(10)
            .lease(LEASE)
            .executor(Runnable::run)
            .build(),
        delivery -> {
          started.add(delivery.id());
          CompletableFuture<Void> end = new CompletableFuture<>();
          ends.add(end);
          return end;
        });
    schedule(5);
    assertThat(started).containsExactly("m0");
    suspend();
    List<Delivery<String>> others = queue.claim(10, ClaimOptions.DEFAULT.lease(LEASE));
    assertThat(others).hasSize(5);
    ends.get(0).complete(null);
    assertThat(started).containsExactly("m0");
  }

  @Test
  void deliveryIsHeld_isLostUntilARenewal() {
    schedule(1);
    Delivery<String> delivery = queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
    assertThat(delivery.isLost()).isFalse();
    suspend();
    assertThat(delivery.isLost()).isTrue();
    assertThat(delivery.remaining()).isZero();
    delivery.extend(LEASE);
    assertThat(delivery.isLost()).isFalse();
    assertThat(delivery.remaining()).isEqualTo(LEASE);
  }

  @Test
  void wallClockIsSetBackOrCorrectedALittle_changesNothing() {
    schedule(1);
    Delivery<String> delivery = queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE)).get(0);
    machine.step(Duration.ofHours(-1));
    assertThat(delivery.remaining()).isEqualTo(LEASE);
    machine.step(Duration.ofHours(1).plusMillis(90));
    assertThat(delivery.remaining()).isEqualTo(LEASE);
  }
}
