package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.Message;
import io.punctual.RescheduleOutcome;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.Worker;
import io.punctual.event.Event;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the events of changes, workers and handlers. */
class EventsTest {
  private final ManualWorld world = new ManualWorld();

  /**
   * Moves the clock while the client closes. If a test has closed the store, the client waits for
   * the store until a time-out on this clock.
   */
  @AfterEach
  void close() {
    CompletableFuture<?> closed = CompletableFuture.runAsync(world::close);
    Awaitility.await()
        .until(
            () -> {
              world.advance(Duration.ofSeconds(1));
              return closed.isDone();
            });
  }

  @Test
  void changes_confirmed_haveEvents() {
    world.queue.schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
    world.queue.reschedule("a", Due.after(Duration.ofHours(2)));
    world.queue.runNow("b");
    world.queue.cancelAll(List.of("a", "b"));
    assertThat(world.events(Event.MessageRescheduled.class))
        .containsExactly(
            new Event.MessageRescheduled("orders", "a", RescheduleOutcome.RESCHEDULED),
            new Event.MessageRescheduled("orders", "b", RescheduleOutcome.NOT_FOUND));
    assertThat(world.events(Event.MessageCancelled.class))
        .containsExactly(
            new Event.MessageCancelled("orders", "a", CancelOutcome.CANCELLED),
            new Event.MessageCancelled("orders", "b", CancelOutcome.NOT_FOUND));
  }

  @Test
  void deadLetters_changed_haveEvents() {
    for (String id : List.of("a", "b", "c")) {
      world.queue.schedule(Message.of(id).id(id));
    }
    for (Delivery<String> each :
        world.queue.claim(3, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)))) {
      each.bury("for the test");
    }
    world.queue.deadLetters().redrive("a");
    world.queue.deadLetters().redrive("a");
    world.queue.deadLetters().delete("b");
    world.queue.purge(EnumSet.of(State.DEAD));
    assertThat(world.events(Event.DeadLetterRedriven.class))
        .containsExactly(new Event.DeadLetterRedriven("orders", "a"));
    assertThat(world.events(Event.DeadLetterDeleted.class))
        .containsExactly(new Event.DeadLetterDeleted("orders", "b"));
    assertThat(world.events(Event.MessagesPurged.class))
        .containsExactly(new Event.MessagesPurged("orders", Set.of(State.DEAD), 1));
    world.queue.purge(EnumSet.of(State.READY));
    assertThat(world.events(Event.MessagesPurged.class)).last().extracting("count").isEqualTo(1L);
  }

  @Test
  void operation_storeIsClosed_failureHasAnEvent() {
    world.store.close();
    assertThatThrownBy(
            () -> world.queue.withTimeout(Duration.ofMillis(20)).schedule(Message.of("a").id("a")))
        .isInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> world.queue.withTimeout(Duration.ofMillis(20)).cancel("b"))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(world.events(Event.OperationFailed.class))
        .extracting(event -> event.operation() + " " + event.id())
        .containsExactly("schedule a", "cancel b");
    assertThat(world.events(Event.OperationFailed.class))
        .allMatch(event -> event.failure() instanceof StoreUnavailableException);
  }

  @Test
  void worker_startsHandlesAndStops_hasEvents() {
    world.queue.schedule(Message.of("a").id("a"));
    CompletableFuture<String> stage = new CompletableFuture<>();
    Worker worker = world.queue.workStages(ManualWorld.inline().build(), delivery -> stage);
    world.advance(Duration.ofMillis(10));
    assertThat(world.events(Event.WorkerStarted.class))
        .containsExactly(new Event.WorkerStarted("orders", worker));
    assertThat(world.events(Event.HandlerEnded.class)).isEmpty();
    world.advance(Duration.ofSeconds(3));
    stage.complete("done");
    assertThat(world.events(Event.HandlerEnded.class))
        .containsExactly(new Event.HandlerEnded("orders", "a", 1, Duration.ofMillis(3010), null));
    world.advance(Duration.ofSeconds(1));
    worker.close(Duration.ZERO);
    assertThat(world.events(Event.WorkerStopped.class))
        .containsExactly(new Event.WorkerStopped("orders", worker));
  }

  @Test
  void message_retriedAfterItsCancel_hasTheEventOfADiscard() {
    world.queue.schedule(Message.of("a").id("a"));
    CompletableFuture<String> stage = new CompletableFuture<>();
    Worker worker = world.queue.workStages(ManualWorld.inline().build(), delivery -> stage);
    world.advance(Duration.ofMillis(10));
    world.queue.cancel("a");
    stage.completeExceptionally(new IllegalStateException("expected"));
    world.advance(Duration.ofSeconds(1));
    worker.close(Duration.ZERO);
    assertThat(world.events(Event.MessageDiscarded.class))
        .containsExactly(new Event.MessageDiscarded("orders", "a", 1));
    assertThat(world.events(Event.MessageRetried.class)).isEmpty();
  }
}
