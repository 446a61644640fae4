package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests workers that share permits and threads, and changes of workers at run time. */
class WorkerPoolTest {
  private final ManualWorld world = new ManualWorld();

  /** The stages of all started handlers of each queue. A handler runs until its stage is done. */
  private final Map<String, List<CompletableFuture<Void>>> running = new HashMap<>();

  @AfterEach
  void close() {
    world.close();
  }

  private WorkerOptions pooled(int concurrency) {
    WorkerPool pool =
        world.punctual.workerPool(ManualWorld.inline().concurrency(concurrency).build());
    return WorkerOptions.builder().pool(pool).build();
  }

  private TimedQueue<String> queue(String name, int messages) {
    TimedQueue<String> queue = world.punctual.queue(name, Codec.string());
    for (int i = 0; i < messages; i++) {
      queue.schedule(name + i, Duration.ofSeconds(1));
    }
    return queue;
  }

  private Worker work(TimedQueue<String> queue, WorkerOptions options) {
    return queue.workStages(
        options,
        delivery -> {
          CompletableFuture<Void> end = new CompletableFuture<>();
          running.computeIfAbsent(queue.name(), name -> new ArrayList<>()).add(end);
          return end;
        });
  }

  private int running(String queue) {
    return (int)
        running.getOrDefault(queue, List.of()).stream().filter(each -> !each.isDone()).count();
  }

  private void endOne(String queue) {
    running.get(queue).stream()
        .filter(each -> !each.isDone())
        .findFirst()
        .orElseThrow()
        .complete(null);
  }

  @Test
  void pool_severalQueuesAreDue_neverMoreHandlersThanPermits() {
    WorkerOptions options = pooled(4);
    Worker a = work(queue("a", 10), options);
    Worker b = work(queue("b", 10), options);
    world.advance(Duration.ofSeconds(1));
    assertThat(running("a") + running("b")).isEqualTo(4);
    assertThat(a.running() + b.running()).isEqualTo(4);
    assertThat(a.concurrency()).isEqualTo(4);
  }

  @Test
  void pool_oneQueueHasABacklog_theOthersGetTheirTurn() {
    WorkerOptions options = pooled(2);
    Worker busy = work(queue("busy", 100), options);
    world.advance(Duration.ofSeconds(1));
    assertThat(running("busy")).isEqualTo(2);
    Worker other = work(queue("other", 3), options);
    world.advance(Duration.ofSeconds(1));
    assertThat(running("other")).isZero();
    endOne("busy");
    endOne("busy");
    assertThat(running("busy")).isEqualTo(1);
    assertThat(running("other")).isEqualTo(1);
    assertThat(busy.running() + other.running()).isEqualTo(2);
  }

  @Test
  void pool_oneWorkerIsClosed_theOthersContinue() {
    WorkerOptions options = pooled(2);
    Worker a = work(queue("a", 0), options);
    TimedQueue<String> b = queue("b", 1);
    work(b, options);
    a.close(Duration.ZERO);
    assertThat(a.isClosed()).isTrue();
    world.advance(Duration.ofSeconds(1));
    assertThat(running("b")).isEqualTo(1);
  }

  @Test
  void pool_concurrencyChanges_takesEffectWhileWorkersRun() {
    WorkerOptions options = pooled(1);
    Worker worker = work(queue("a", 10), options);
    world.advance(Duration.ofSeconds(1));
    assertThat(running("a")).isEqualTo(1);
    options.pool().orElseThrow().setConcurrency(3);
    assertThat(running("a")).isEqualTo(3);
    options.pool().orElseThrow().setConcurrency(1);
    endOne("a");
    endOne("a");
    assertThat(running("a")).isEqualTo(1);
    endOne("a");
    assertThat(running("a")).isEqualTo(1);
    assertThatThrownBy(() -> worker.setConcurrency(2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("pool");
  }

  @Test
  void pool_ofADifferentClient_isRefused() {
    try (ManualWorld other = new ManualWorld()) {
      WorkerOptions options =
          WorkerOptions.builder().pool(other.punctual.workerPool(WorkerOptions.DEFAULT)).build();
      assertThatThrownBy(() -> world.queue.work(options, delivery -> {}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("different Punctual");
    }
  }

  @Test
  void pool_thousandQueues_deliversEachWithTheThreadsOfThePool() {
    WorkerPool pool =
        world.punctual.workerPool(
            WorkerOptions.builder()
                .concurrency(8)
                .threads(WorkerOptions.Threads.PLATFORM)
                .name("tenants")
                .build());
    WorkerOptions options = WorkerOptions.builder().pool(pool).build();
    List<String> handled = new CopyOnWriteArrayList<>();
    List<String> threads = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 1000; i++) {
      queue("tenant-" + i, 1)
          .work(
              options,
              delivery -> {
                handled.add(delivery.payload());
                threads.add(Thread.currentThread().getName());
              });
    }
    world.advance(Duration.ofSeconds(1));
    await().until(() -> handled.size() == 1000);
    assertThat(handled).doesNotHaveDuplicates();
    assertThat(threads).allMatch(name -> name.startsWith("punctual-tenants-"));
    assertThat(threads.stream().distinct().count()).isLessThanOrEqualTo(8);
  }

  @Test
  void worker_paused_claimsNothingUntilItResumes() {
    Worker worker = work(queue("a", 3), ManualWorld.inline().name("first").build());
    worker.pause();
    world.advance(Duration.ofSeconds(1));
    assertThat(running("a")).isZero();
    assertThat(worker.isPaused()).isTrue();
    assertThat(world.punctual.queue("a", Codec.string()).counts().paused()).isFalse();
    worker.resume();
    assertThat(running("a")).isEqualTo(3);
    assertThat(worker.isPaused()).isFalse();
    assertThat(worker.name()).isEqualTo("first");
  }

  @Test
  void worker_pausedAndClosed_ends() {
    Worker worker = work(queue("a", 1), ManualWorld.inline().build());
    worker.pause();
    assertThat(worker.closeAsync(Duration.ZERO).toCompletableFuture()).isDone();
    worker.resume();
    world.advance(Duration.ofSeconds(1));
    assertThat(running("a")).isZero();
  }

  @Test
  void worker_pausedAndClosedDuringAClaim_endsWhenItsMessagesAreReleased() {
    HeldClaims held = new HeldClaims();
    try (Punctual punctual =
        Punctual.builder().store(held.of(world.store)).timer(world.clock).build()) {
      TimedQueue<String> queue = punctual.queue("a", Codec.string());
      queue.schedule(Message.of("payload").id("a"));
      Worker worker = work(queue, ManualWorld.inline().build());
      worker.pause();
      CompletableFuture<?> end = worker.closeAsync(Duration.ofSeconds(1)).toCompletableFuture();
      assertThat(end).isNotDone();
      held.answer();
      assertThat(end).isDone();
      StoredMessage<String> message = queue.find("a").orElseThrow();
      assertThat(message.state()).isEqualTo(State.READY);
      assertThat(message.attempts()).isZero();
    }
  }

  @Test
  void worker_concurrencyChanges_takesEffectWhileItRuns() {
    Worker worker = work(queue("a", 5), ManualWorld.inline().concurrency(1).build());
    world.advance(Duration.ofSeconds(1));
    assertThat(running("a")).isEqualTo(1);
    worker.setConcurrency(2);
    assertThat(running("a")).isEqualTo(2);
    assertThatThrownBy(() -> worker.setConcurrency(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
