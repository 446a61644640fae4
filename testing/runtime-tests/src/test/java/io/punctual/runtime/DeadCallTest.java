package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Delivery;
import io.punctual.Failure;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the threads and the leases of the dead handlers of workers. */
class DeadCallTest {
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualWorld world = new ManualWorld();
  private final List<String> dead = new CopyOnWriteArrayList<>();

  /**
   * Runs a task at once on the calling thread. Rejects a task that is submitted while a task runs.
   */
  private static final class OneThread implements Executor {
    private boolean busy;

    @Override
    public void execute(Runnable task) {
      if (busy) {
        throw new RejectedExecutionException("busy");
      }
      busy = true;
      try {
        task.run();
      } finally {
        busy = false;
      }
    }
  }

  @AfterEach
  void close() {
    world.close();
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  private void record(Delivery<String> delivery, DeadReason reason, Throwable failure) {
    dead.add(delivery.id() + " " + reason + " " + delivery.attempt());
  }

  private void schedule(String id) {
    world.queue.schedule(Message.of(id).id(id));
  }

  private static WorkerOptions.Builder once(Executor executor) {
    return WorkerOptions.builder()
        .executor(executor)
        .lease(LEASE)
        .concurrency(1)
        .retryPolicy(RetryPolicy.never());
  }

  @Test
  void executorHasOneThread_deadHandlerRunsOnIt() {
    world
        .queue
        .withDeadHandler(this::record)
        .work(
            once(new OneThread()).build(),
            delivery -> {
              throw new IllegalStateException("down");
            });
    schedule("a");
    assertThat(dead).containsExactly("a FAILED 1");
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void executorHasOneThread_expired_deadHandlerRunsOnIt() {
    world.queue.schedule(Message.of("a").id("a").notAfter(world.clock.instant().plusSeconds(1)));
    world.advance(LEASE);
    world.queue.withDeadHandler(this::record).work(once(new OneThread()).build(), delivery -> {});
    assertThat(dead).containsExactly("a EXPIRED 1");
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void asyncHandlerFails_executorRefuses_retriedLaterWithTheFailure() {
    boolean[] refuses = {false};
    List<CompletableFuture<String>> stages = new ArrayList<>();
    world
        .queue
        .withDeadHandler(this::record)
        .workStages(
            once(task -> {
                  if (refuses[0]) {
                    throw new RejectedExecutionException("busy");
                  }
                  task.run();
                })
                .renew(true)
                .build(),
            delivery -> {
              stages.add(new CompletableFuture<>());
              return stages.get(stages.size() - 1);
            });
    schedule("a");
    refuses[0] = true;
    stages.get(0).completeExceptionally(new IllegalStateException("down"));
    refuses[0] = false;
    world.advance(SECOND);
    assertThat(stages).as("attempts within a second").hasSize(1);
    assertThat(find("a").failures())
        .extracting(Failure::error)
        .containsExactly("java.lang.IllegalStateException: down");
    world.advance(LEASE);
    stages.get(1).completeExceptionally(new IllegalStateException("down"));
    assertThat(dead).containsExactly("a FAILED 2");
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void batchFails_oneLeaseIsLost_otherMessagesReachTheDeadHandler() {
    schedule("a");
    schedule("b");
    schedule("c");
    Worker worker =
        world
            .queue
            .withDeadHandler(this::record)
            .workBatches(
                once(Runnable::run).renew(false).interruptOnLeaseLost(true).build(),
                deliveries -> {
                  if (deliveries.size() < 3) {
                    return;
                  }
                  deliveries.get(1).extend(SECOND);
                  world.advance(SECOND.multipliedBy(2));
                  Thread.interrupted();
                  throw new IllegalStateException("down");
                });
    assertThat(world.events(Event.LeaseLost.class)).hasSize(1);
    assertThat(dead).startsWith("a FAILED 1", "c FAILED 1").doesNotContain("b FAILED 1");
    assertThat(find("a").deadReason()).hasValue(DeadReason.FAILED);
    assertThat(find("c").deadReason()).hasValue(DeadReason.FAILED);
    assertThat(worker.running()).isZero();
  }

  @Test
  void callWaitsForItsThread_timeOutCountsFromItsStart() {
    List<Runnable> tasks = new ArrayList<>();
    CompletableFuture<String> stage = new CompletableFuture<>();
    world
        .queue
        .withDeadHandler(
            (delivery, reason, failure) -> {
              world.advance(SECOND.multipliedBy(3));
              dead.add("interrupted: " + Thread.interrupted());
            })
        .workStages(
            once(tasks::add).handlerTimeout(SECOND.multipliedBy(5)).build(), delivery -> stage);
    schedule("a");
    tasks.remove(0).run();
    stage.completeExceptionally(new IllegalStateException("down"));
    world.advance(SECOND.multipliedBy(4));
    tasks.remove(0).run();
    assertThat(dead).containsExactly("interrupted: false");
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }

  @Test
  void executorDropsTheCall_userSettles_permitReturns() {
    boolean[] drops = {false};
    List<Delivery<String>> deliveries = new ArrayList<>();
    CompletableFuture<String> stage = new CompletableFuture<>();
    Executor executor =
        task -> {
          if (!drops[0]) {
            task.run();
          }
        };
    Worker worker =
        world
            .queue
            .withDeadHandler(this::record)
            .workStages(
                once(executor).build(),
                delivery -> {
                  deliveries.add(delivery);
                  return stage;
                });
    schedule("a");
    drops[0] = true;
    stage.completeExceptionally(new IllegalStateException("down"));
    deliveries.get(0).ack();
    drops[0] = false;
    schedule("b");
    assertThat(deliveries).hasSize(1);
    world.advance(LEASE);
    assertThat(deliveries).extracting(Delivery::id).containsExactly("a", "b");
    assertThat(worker.running()).isZero();
    assertThat(dead).containsExactly("b FAILED 1");
  }

  @Test
  void batchWithAnExpiredMessage_executorHasOneThread_deadHandlerRunsAfterTheHandler() {
    List<String> handled = new ArrayList<>();
    world.queue.schedule(Message.of("a").id("a").notAfter(world.clock.instant().plusSeconds(1)));
    schedule("b");
    world.advance(LEASE);
    world
        .queue
        .withDeadHandler(this::record)
        .workBatches(
            once(new OneThread()).build(),
            deliveries -> deliveries.forEach(delivery -> handled.add(delivery.id())));
    assertThat(handled).containsExactly("b");
    assertThat(dead).containsExactly("a EXPIRED 1");
    assertThat(find("a").state()).isEqualTo(State.DEAD);
  }
}
