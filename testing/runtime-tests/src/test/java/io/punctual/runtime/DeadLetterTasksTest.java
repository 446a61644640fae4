package io.punctual.runtime;

import static io.punctual.runtime.DeadLettersTest.die;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.Worker;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetters;
import io.punctual.deadletter.DeadReason;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the tasks that group, redrive or delete dead letters. */
class DeadLetterTasksTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.ALL;
  private static final int UNLIMITED = DeadLetters.UNLIMITED;

  private static void expect(
      TaskProgress progress, long examined, long matched, long changed, boolean cancelled) {
    assertThat(
            List.of(
                progress.examined(),
                progress.matched(),
                progress.changed(),
                progress.gone(),
                progress.leased(),
                progress.refused()))
        .containsExactly(examined, matched, changed, 0L, 0L, 0L);
    assertThat(progress.isCancelled()).isEqualTo(cancelled);
  }

  private static void bury(ManualWorld world, int count, String why) {
    for (int i = 0; i < count; i++) {
      world.queue.schedule("x", Duration.ZERO);
    }
    while (world.queue.counts().ready() > 0) {
      world.queue.claim(count, Duration.ZERO).forEach(delivery -> delivery.bury(why));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void groups_deathsOverADay_areCountedByHour(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      for (int hour = 0; hour < 24; hour++) {
        bury(world, hour + 1, "declined");
        world.advance(Duration.ofMinutes(30));
        bury(world, 1, "expired card");
        world.advance(Duration.ofMinutes(30));
      }
      List<DeadLetterGroup> groups = world.queue.deadLetters().groups(ALL).groups();
      List<Long> perHour = LongStream.rangeClosed(1, 24).boxed().toList();
      assertThat(groups.get(0).deaths()).isEqualTo(perHour);
      assertThat(groups.get(1).deaths()).hasSize(DeadLetterGroup.DEATH_SPANS).containsOnly(1L);
    }
  }

  @Test
  void groups_deathsAtOneTime_areInTheFirstSpan() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 3, IllegalStateException.class, 42);
      assertThat(world.queue.deadLetters().groups(ALL).groups().get(0).deaths())
          .hasSize(DeadLetterGroup.DEATH_SPANS)
          .startsWith(3L, 0L)
          .contains(0L);
    }
  }

  @Test
  void groups_cancelled_returnsWhatItHasRead() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 2500, IllegalStateException.class, 42);
      SilentReads reads = new SilentReads(world);
      try (Punctual punctual = reads.client()) {
        Task<DeadLetterGroups> task =
            punctual.queue("orders", Codec.string()).deadLetters().async().groups(ALL);
        reads.answer(1);
        assertThat(task.progress().examined()).isEqualTo(1000);
        assertThat(task.progress().matched()).isEqualTo(1000);
        assertThat(task.done().toCompletableFuture()).isNotDone();
        task.cancel();
        reads.answer(1);
        assertThat(task.await().total()).isEqualTo(2000);
        assertThat(task.progress().isCancelled()).isTrue();
        assertThat(task.progress().position()).isEmpty();
      }
    }
  }

  @Test
  void groups_clientClosed_endsTheTask() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 2500, IllegalStateException.class, 42);
      SilentReads reads = new SilentReads(world);
      Punctual punctual = reads.client();
      Task<DeadLetterGroups> task =
          punctual.queue("orders", Codec.string()).deadLetters().async().groups(ALL);
      reads.answer(1);
      punctual.close(Duration.ZERO);
      assertThatThrownBy(task::await)
          .isInstanceOf(ClientClosedException.class)
          .hasMessageContaining("grouping of dead letters in queue 'orders'");
      assertThat(task.progress().isCancelled()).isTrue();
      assertThat(task.progress().examined()).isEqualTo(1000);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void redrive_cancelledAndContinued_redrivesEachOnce(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      die(world, 900, IllegalStateException.class, 42);
      die(world, 300, IllegalArgumentException.class, 7);
      DeadLetterFilter filter = ALL.withFailure("IllegalStateException");
      DeadLetters<String> letters = world.queue.deadLetters();
      Task<TaskProgress> first = letters.redrive(filter, 100);
      world.advance(Duration.ofSeconds(4));
      first.cancel();
      world.advance(Duration.ofSeconds(1));
      TaskProgress half = first.await();
      assertThat(half.changed()).isBetween(390L, 500L);
      String position = half.position().orElseThrow();

      Task<TaskProgress> second =
          letters.redrive(filter, TaskOptions.DEFAULT.perSecond(1000).after(position));
      world.advance(Duration.ofSeconds(5));
      assertThat(half.changed() + second.await().changed()).isEqualTo(900);
      assertThat(second.await().gone()).isZero();
      assertThat(world.queue.counts().dead()).isEqualTo(300);
      String end = second.await().position().orElseThrow();
      assertThat(letters.redrive(filter, TaskOptions.DEFAULT.after(end)).await().examined())
          .isZero();
    }
  }

  @Test
  void redrive_dryRun_countsAndChangesNothing() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 1200, IllegalStateException.class, 42);
      Task<TaskProgress> task =
          world
              .queue
              .deadLetters()
              .redrive(ALL.withLimit(1100), TaskOptions.DEFAULT.perSecond(1).dryRun());
      assertThat(task.await().matched()).isEqualTo(1100);
      assertThat(task.await().changed()).isZero();
      assertThat(world.queue.counts().dead()).isEqualTo(1200);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "0:1", "0/1:x", "3/2:0", "-1/1:0", "0/1:0:0", "00/1:5", "0/0:5"})
  void redrive_positionOfNoTask_isRefused(String position) {
    try (ManualWorld world = new ManualWorld()) {
      assertThatThrownBy(
              () -> world.queue.deadLetters().redrive(ALL, TaskOptions.DEFAULT.after(position)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("position");
    }
  }

  @Test
  void redrive_positionOfOtherPartitions_isRefused() {
    try (ManualWorld world = new ManualWorld(3)) {
      die(world, 10, IllegalStateException.class, 42);
      Task<TaskProgress> task =
          world.queue.deadLetters().redrive(ALL, TaskOptions.DEFAULT.after("1/2:0"));
      assertThatThrownBy(task::await)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("3 partitions");
      assertThat(world.queue.counts().dead()).isEqualTo(10);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void redrive_rate_changesSoManyInASecond(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      die(world, 300, IllegalStateException.class, 42);
      die(world, 1000, IllegalArgumentException.class, 7);
      DeadLetterFilter filter = ALL.withFailure("IllegalArgumentException");
      Task<TaskProgress> task = world.queue.deadLetters().redrive(filter, 100);
      world.advance(Duration.ofSeconds(5));
      assertThat(task.progress().changed()).isBetween(490L, 520L);
      assertThat(task.done().toCompletableFuture()).isNotDone();
      world.advance(Duration.ofSeconds(5));
      TaskProgress end = task.done().toCompletableFuture().join();
      expect(end, 1300, 1000, 1000, false);
      assertThat(task.await()).isEqualTo(end);
      assertThat(world.queue.counts().dead()).isEqualTo(300);
      assertThat(world.queue.counts().ready()).isEqualTo(1000);
      assertThat(world.clock.pendingTasks()).as("timers of an ended task").isLessThan(20);
    }
  }

  @Test
  void redrive_slowRate_changesOneAtATime() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 5, IllegalStateException.class, 42);
      Task<TaskProgress> task = world.queue.deadLetters().redrive(ALL, 1);
      assertThat(task.progress().changed()).isOne();
      world.advance(Duration.ofMillis(2500));
      assertThat(task.progress().changed()).isEqualTo(3);
      task.cancel();
      world.advance(Duration.ofSeconds(2));
      expect(task.await(), 5, 5, 3, true);
    }
  }

  @Test
  void delete_limitOfTheFilter_deletesTheOldest() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 1200, IllegalStateException.class, 42);
      die(world, 20, IllegalArgumentException.class, 7);
      Task<TaskProgress> task = world.queue.deadLetters().delete(ALL.withLimit(1100), UNLIMITED);
      assertThat(task.await().changed()).isEqualTo(1100);
      assertThat(world.queue.counts().dead()).isEqualTo(120);
      DeadLetterFilter newest = ALL.withIdPrefix("7-");
      assertThat(world.queue.deadLetters().stream(DeadLetterQuery.of(newest))).hasSize(20);
    }
  }

  @Test
  void redrive_messagesThatDieAgain_areNotRedrivenTwice() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 500, IllegalStateException.class, 42);
      try (Worker worker =
          world.queue.work(ManualWorld.inline().build(), delivery -> delivery.bury("again"))) {
        Task<TaskProgress> task = world.queue.deadLetters().redrive(ALL, 100);
        world.advance(Duration.ofSeconds(20));
        assertThat(task.await().changed()).isEqualTo(500);
        assertThat(worker.isClosed()).isFalse();
      }
      DeadLetterFilter again = ALL.withReason(DeadReason.BY_CALLER);
      assertThat(world.queue.deadLetters().stream(DeadLetterQuery.of(again))).hasSize(500);
    }
  }

  @Test
  void redrive_deletedMeanwhile_countsAsGone() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 20, IllegalStateException.class, 42);
      Task<TaskProgress> task = world.queue.deadLetters().redrive(ALL, 10);
      world.queue.purge(Set.of(State.DEAD));
      world.advance(Duration.ofSeconds(5));
      TaskProgress end = task.await();
      assertThat(end.changed() + end.gone()).isEqualTo(20);
      assertThat(end.gone()).isPositive();
    }
  }

  @Test
  void redrive_clientClosed_endsTheTask() {
    ManualWorld world = new ManualWorld();
    die(world, 20, IllegalStateException.class, 42);
    DeadLetters<String> letters = world.queue.deadLetters();
    Task<TaskProgress> task = letters.redrive(ALL, 1);
    world.close();
    assertThatThrownBy(task::await).isInstanceOf(ClientClosedException.class);
    assertThat(task.done().toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(() -> letters.redrive(ALL, 1)).isInstanceOf(ClientClosedException.class);
  }
}
