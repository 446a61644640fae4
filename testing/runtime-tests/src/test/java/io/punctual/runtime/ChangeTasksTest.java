package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.event.Event;
import io.punctual.spi.Store;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the tasks that change waiting messages. */
class ChangeTasksTest {
  private static final TaskOptions DEFAULT = TaskOptions.DEFAULT;

  private static void schedule(ManualWorld world, String prefix, int count, Duration apart) {
    Instant first = world.clock.instant().plus(Duration.ofHours(1));
    world.queue.scheduleAll(
        IntStream.range(0, count)
            .mapToObj(i -> Message.of("x").id(prefix + i).dueAt(first.plus(apart.multipliedBy(i))))
            .toList());
  }

  /** Opens a client whose end leaves the store open, as the end of a process does. */
  private static Punctual process(ManualWorld world) {
    Store store =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, args) ->
                    method.getName().equals("close") ? null : method.invoke(world.store, args));
    return Punctual.builder().store(store).timer(world.clock).build();
  }

  @Test
  void cancel_ofTimesBeforeAllTimes_cancelsNothing() {
    try (ManualWorld world = new ManualWorld(1);
        Punctual client = process(world)) {
      schedule(world, "m", 3, Duration.ofSeconds(1));
      Task<TaskProgress> task =
          client
              .queue("orders", Codec.string())
              .change(
                  MessageFilter.ALL.withDueBefore(Instant.MIN), MessageChange.cancel(), DEFAULT);
      world.advance(Duration.ofSeconds(1));

      assertThat(task.done()).isCompleted();
      assertThat(task.progress().changed()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void cancel_killedInTheMiddleAndContinued_cancelsExactlyTheRange(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      schedule(world, "m", 96_000, Duration.ofSeconds(1));
      Instant first = world.clock.instant().plus(Duration.ofHours(1));
      MessageFilter filter =
          MessageFilter.ALL
              .withDueFrom(first.plusSeconds(40_000))
              .withDueBefore(first.plusSeconds(49_210));
      AtomicReference<TaskProgress> saved = new AtomicReference<>();
      TaskOptions options =
          DEFAULT
              .perSecond(1000)
              .checkpoint(
                  progress -> {
                    saved.set(progress);
                    return CompletableFuture.completedFuture(null);
                  });
      Punctual killed = process(world);
      Task<TaskProgress> task =
          killed.queue("orders", Codec.string()).change(filter, MessageChange.cancel(), options);
      world.advance(Duration.ofMillis(4500));
      assertThat(task.progress().changed()).isBetween(4400L, 4800L);
      killed.close(Duration.ZERO);
      assertThatThrownBy(task::await).isInstanceOf(ClientClosedException.class);
      long changed = task.progress().changed();

      String position = saved.get().position().orElseThrow();
      Task<TaskProgress> next =
          world.queue.change(filter, MessageChange.cancel(), options.after(position));
      world.advance(Duration.ofSeconds(10));
      assertThat(changed + next.await().changed()).isEqualTo(9_210);
      List<String> left =
          world.queue.stream(MessageQuery.of(State.SCHEDULED).withoutPayloads().limit(1000))
              .map(StoredMessage::id)
              .toList();
      assertThat(left).hasSize(96_000 - 9_210);
      assertThat(left)
          .noneMatch(
              id -> {
                int i = Integer.parseInt(id.substring(1));
                return i >= 40_000 && i < 49_210;
              });
    }
  }

  @Test
  void cancel_rate_changesSoManyInASecondAndPublishesEachCancel() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 300, Duration.ofSeconds(1));
      Task<TaskProgress> task =
          world.queue.change(MessageFilter.ALL, MessageChange.cancel(), DEFAULT.perSecond(50));
      world.advance(Duration.ofSeconds(3));
      assertThat(task.progress().changed()).isBetween(150L, 170L);
      world.advance(Duration.ofSeconds(5));
      assertThat(task.await().changed()).isEqualTo(300);
      assertThat(world.events(Event.MessageCancelled.class))
          .hasSize(300)
          .allMatch(event -> event.outcome() == CancelOutcome.CANCELLED);
    }
  }

  @Test
  void cancel_producerSchedulesFaster_endsAtTheMessagesOfItsStart() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 100, Duration.ofSeconds(1));
      Task<TaskProgress> task =
          world.queue.change(MessageFilter.ALL, MessageChange.cancel(), DEFAULT.perSecond(10));
      for (int i = 0; i < 20; i++) {
        schedule(world, "later-" + i + "-", 200, Duration.ofMinutes(1));
        world.advance(Duration.ofSeconds(1));
      }
      assertThat(task.done().toCompletableFuture()).isCompleted();
      assertThat(world.queue.find("m0")).isEmpty();
      assertThat(world.queue.find("m99")).isEmpty();
      assertThat(world.queue.find("later-0-199")).isPresent();
    }
  }

  @Test
  void runNow_handlersFail_takesTheirRetriesNoSecondTime() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 100, Duration.ofMinutes(1));
      try (Worker worker =
          world.queue.work(
              ManualWorld.inline().build(),
              delivery -> {
                throw new IllegalStateException("fails");
              })) {
        Task<TaskProgress> task =
            world.queue.change(MessageFilter.ALL, MessageChange.runNow(), DEFAULT.perSecond(100));
        world.advance(Duration.ofSeconds(3));
        assertThat(task.await().changed()).isEqualTo(100);
        assertThat(worker.isClosed()).isFalse();
      }
    }
  }

  @Test
  void shift_messagesThatLandInTheRange_areShiftedOnce() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 2500, Duration.ofSeconds(1));
      Instant first = world.clock.instant().plus(Duration.ofHours(1));
      Task<TaskProgress> task =
          world.queue.change(
              MessageFilter.ALL,
              MessageChange.shift(Duration.ofMinutes(10)),
              DEFAULT.perSecond(1000));
      world.advance(Duration.ofSeconds(4));
      assertThat(task.await().changed()).isEqualTo(2500);
      assertThat(world.queue.stream(MessageQuery.of(State.SCHEDULED).limit(1000)))
          .allMatch(
              message ->
                  message
                      .dueAt()
                      .equals(
                          first
                              .plusSeconds(Integer.parseInt(message.id().substring(1)))
                              .plus(Duration.ofMinutes(10))));
    }
  }

  @Test
  void change_checkpointFails_endsWithoutTheChange() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 10, Duration.ofSeconds(1));
      Task<TaskProgress> task =
          world.queue.change(
              MessageFilter.ALL,
              MessageChange.cancel(),
              DEFAULT.checkpoint(
                  progress -> {
                    throw new IllegalStateException("disk full");
                  }));
      assertThatThrownBy(task::await)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("disk full");
      assertThat(world.queue.counts().scheduled()).isEqualTo(10);
      assertThat(task.progress().matched()).isEqualTo(10);
      assertThat(task.progress().changed()).isZero();
    }
  }

  @Test
  void change_checkpointReturnsNull_endsWithoutTheChange() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 10, Duration.ofSeconds(1));
      Task<TaskProgress> task =
          world.queue.change(
              MessageFilter.ALL, MessageChange.cancel(), DEFAULT.checkpoint(progress -> null));
      assertThat(task.done().toCompletableFuture())
          .failsWithin(Duration.ofSeconds(60))
          .withThrowableThat()
          .withMessageContaining("null in place of a stage");
      assertThat(world.queue.counts().scheduled()).isEqualTo(10);
    }
  }

  @Test
  void change_shiftBeyondTheLimitOfDueTimes_isRefusedForTheMessage() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, "m", 2, Duration.ofDays(340_000));
      TaskProgress end =
          world
              .queue
              .change(MessageFilter.ALL, MessageChange.shift(Duration.ofDays(20_000)), DEFAULT)
              .await();
      assertThat(end.changed()).isEqualTo(1);
      assertThat(end.refused()).isEqualTo(1);
    }
  }

  @Test
  void change_badArguments_areRefused() {
    try (ManualWorld world = new ManualWorld()) {
      assertThatThrownBy(() -> MessageChange.shift(Duration.ofNanos(999_999)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> MessageChange.shift(Duration.ofSeconds(Long.MIN_VALUE)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> MessageFilter.ALL.withState(State.DEAD))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("DEAD");
      assertThatThrownBy(() -> MessageFilter.ALL.withLimit(0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> DEFAULT.perSecond(0)).isInstanceOf(IllegalArgumentException.class);
      TimedQueue<String> queue = world.queue;
      assertThatThrownBy(
              () -> queue.change(MessageFilter.ALL, MessageChange.cancel(), DEFAULT.after("x")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'x'");
    }
  }
}
