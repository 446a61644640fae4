package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.PauseNote;
import io.punctual.QueueQuery;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.Task;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the asynchronous forms of calls, most of them for administration. */
class AsyncFormsTest {
  private static <T> T done(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    return stage.toCompletableFuture().join();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void administration_async_answersAsTheBlockingForms(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      TimedQueue<String> queue = done(world.punctual.queueAsync("orders", Codec.string()));
      done(queue.async().schedule("a", Duration.ofMinutes(1)));
      Instant inAnHour = world.clock.instant().plus(Duration.ofHours(1));
      done(queue.async().schedule("b", inAnHour));
      assertThat(done(queue.async().counts())).isEqualTo(queue.counts());
      assertThat(done(queue.async().forecast(world.clock.instant(), inAnHour.plusMillis(2), 2)))
          .isEqualTo(queue.forecast(world.clock.instant(), inAnHour.plusMillis(2), 2));
      Page<StoredMessage<String>> page =
          done(queue.async().browse(MessageQuery.of(State.SCHEDULED).limit(10)));
      assertThat(page.items())
          .extracting(StoredMessage::id)
          .isEqualTo(
              queue.browse(State.SCHEDULED, 10).items().stream().map(StoredMessage::id).toList());
      MessageQuery heads = MessageQuery.of(State.SCHEDULED).from(inAnHour).withoutPayloads();
      assertThat(done(queue.async().browse(heads.limit(10))).items())
          .extracting(StoredMessage::id)
          .containsExactlyElementsOf(
              queue.browse(heads.limit(10)).items().stream().map(StoredMessage::id).toList());
      done(queue.async().pause());
      assertThat(queue.counts().paused()).isTrue();
      done(queue.async().pause(new PauseNote("a test", "ann")));
      assertThat(queue.counts().pauseNote().by()).isEqualTo("ann");
      assertThat(done(world.punctual.queuesAsync(QueueQuery.of("o").limit(10))))
          .isEqualTo(world.punctual.queues(QueueQuery.of("o").limit(10)));
      done(queue.async().resume());
      assertThat(queue.counts().paused()).isFalse();
      assertThat(done(world.punctual.queuesAsync())).containsExactly("orders");
      assertThat(done(queue.async().purge(EnumSet.of(State.SCHEDULED)))).isEqualTo(2);
    }
  }

  @Test
  void settle_async_publishesTheEventsOfADelivery() {
    try (ManualWorld world = new ManualWorld()) {
      for (String id : List.of("acked", "buried", "late")) {
        world.queue.schedule(Message.of("x").id(id));
      }
      List<Delivery<String>> held =
          world.queue.claim(3, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)));
      held.get(2).release();
      world.events.clear();
      assertThat(
              done(
                  world
                      .queue
                      .async()
                      .settle(
                          List.of(
                              new Settlement.Ack(held.get(0).receipt()),
                              new Settlement.Bury(held.get(1).receipt(), "not wanted"),
                              new Settlement.Ack(held.get(2).receipt()),
                              new Settlement.Extend(held.get(0).receipt(), Duration.ofHours(1))))))
          .containsExactly(
              SettleOutcome.DONE,
              SettleOutcome.DONE,
              SettleOutcome.LEASE_LOST,
              SettleOutcome.LEASE_LOST);
      assertThat(world.events)
          .extracting(event -> event.getClass().getSimpleName())
          .containsExactly("MessageAcked", "MessageBuried");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void purgeAndDeleteQueue_async_answersAsTheBlockingForm(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      bury(world, 10);
      world.queue.schedule("a", Duration.ofMinutes(1));
      assertThat(done(world.punctual.deleteQueueAsync("orders")))
          .isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      assertThat(done(world.punctual.purgeAndDeleteQueueAsync("orders")))
          .isEqualTo(DeleteQueueOutcome.DELETED);
      assertThat(done(world.punctual.purgeAndDeleteQueueAsync("orders")))
          .isEqualTo(DeleteQueueOutcome.NOT_FOUND);
      assertThat(world.punctual.queues()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void deadLetters_async_answerAsTheBlockingForms(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      bury(world, 2500);
      assertThat(
              done(world.queue.deadLetters().async().list(DeadLetterQuery.all().limit(1))).items())
          .hasSize(1);
      String id =
          world.queue.deadLetters().list(DeadLetterQuery.all().limit(1)).items().get(0).id();
      assertThat(done(world.queue.deadLetters().async().redrive(id)))
          .isEqualTo(DeadLetterOutcome.DONE);
      assertThat(done(world.queue.deadLetters().async().delete(id)))
          .isEqualTo(DeadLetterOutcome.NOT_DEAD);
      assertThat(done(redriveAll(world).done()).changed()).isEqualTo(2499);
      assertThat(world.queue.counts().ready()).isEqualTo(2500);
      bury(world, 0);
      assertThat(done(deleteAll(world).done()).changed()).isEqualTo(2500);
    }
  }

  private static Task<TaskProgress> redriveAll(ManualWorld world) {
    return world.queue.deadLetters().redrive(DeadLetterFilter.ALL, DeadLetters.UNLIMITED);
  }

  private static Task<TaskProgress> deleteAll(ManualWorld world) {
    return world.queue.deadLetters().delete(DeadLetterFilter.ALL, DeadLetters.UNLIMITED);
  }

  private static void bury(ManualWorld world, int scheduled) {
    for (int i = 0; i < scheduled; i++) {
      world.queue.schedule("dead " + i, Duration.ZERO);
    }
    while (world.queue.counts().ready() > 0) {
      world
          .queue
          .claim(1000, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)))
          .forEach(AsyncFormsTest::bury);
    }
  }

  private static void bury(Delivery<String> delivery) {
    delivery.bury("for the test");
  }

  @Test
  void asyncForms_closedClient_throwClientClosed() {
    ManualWorld world = new ManualWorld();
    world.close();
    assertThatThrownBy(world.queue.async()::counts).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> redriveAll(world)).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> world.punctual.queueAsync("orders", Codec.string()))
        .isInstanceOf(ClientClosedException.class);
  }
}
