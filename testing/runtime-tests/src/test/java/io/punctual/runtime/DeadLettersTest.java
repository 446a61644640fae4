package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClientClosedException;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.Worker;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterProgress;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterTask;
import io.punctual.deadletter.DeadLetters;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the groups and filters of dead letters, and the tasks that redrive or delete them. */
class DeadLettersTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.ALL;
  private static final int UNLIMITED = DeadLetters.UNLIMITED;

  /**
   * Buries messages: their handler throws an exception of this type from the given line of a class
   * of the user.
   */
  static void die(ManualWorld world, int count, Class<? extends RuntimeException> type, int line) {
    for (int i = 0; i < count; i++) {
      world.queue.schedule(Message.of("x").id(line + "-" + i));
    }
    try (var worker =
        world.queue.work(
            ManualWorld.inline().retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              RuntimeException failure =
                  type.getConstructor(String.class).newInstance("of " + line);
              failure.setStackTrace(
                  new StackTraceElement[] {
                    new StackTraceElement("java.util.ArrayList", "get", "ArrayList.java", 1),
                    new StackTraceElement("com.example.Cards", "charge", "Cards.java", line)
                  });
              throw failure;
            })) {
      world.advance(Duration.ofSeconds(1));
    }
  }

  private static List<String> list(
      DeadLetters<String> letters, DeadLetterFilter filter, int limit) {
    DeadLetterQuery query = DeadLetterQuery.of(filter).limit(limit);
    assertThat(letters.list(query).items()).hasSizeLessThanOrEqualTo(limit);
    return letters.stream(query).map(StoredMessage::id).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void groups_failuresAtTwoPlaces_areCountedByTheirPlace(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      die(world, 1500, IllegalStateException.class, 42);
      Instant between = world.clock.instant();
      die(world, 700, IllegalArgumentException.class, 7);
      world.queue.schedule("buried", Duration.ZERO);
      world.queue.claim(1, Duration.ZERO).get(0).bury("negative amount 17");

      DeadLetterGroups groups = world.queue.deadLetters().groups(ALL);
      assertThat(groups.others()).isZero();
      assertThat(groups.total()).isEqualTo(2201);
      assertThat(groups.groups())
          .extracting(DeadLetterGroup::count)
          .containsExactly(1500L, 700L, 1L);
      DeadLetterGroup first = groups.groups().get(0);
      assertThat(first.failure())
          .isEqualTo("java.lang.IllegalStateException at com.example.Cards.charge(Cards.java:42)");
      assertThat(first.reason()).contains(DeadReason.FAILED);
      assertThat(first.lastDied()).isBeforeOrEqualTo(between);
      assertThat(groups.groups().get(1).firstDied()).isAfterOrEqualTo(between);
      assertThat(groups.groups().get(2).failure()).isEqualTo("negative amount #");
      assertThat(world.queue.find(first.sampleId()).orElseThrow().failureOrigin())
          .contains(first.failure());

      assertThat(world.queue.deadLetters().groups(ALL.withDiedFrom(between)).total())
          .isEqualTo(701);
      assertThat(world.queue.deadLetters().groups(ALL.withLimit(10)).total()).isEqualTo(10);
      DeadLetterFilter ofFirst = ALL.withGroup(first.key());
      assertThat(world.queue.deadLetters().groups(ofFirst).groups()).containsExactly(first);
    }
  }

  @Test
  void groups_differentFailuresOfAllMessages_areBounded() {
    try (ManualWorld world = new ManualWorld()) {
      for (int i = 0; i < 1200; i++) {
        world.queue.schedule("x", Duration.ZERO);
      }
      List<String> names = new ArrayList<>();
      for (int i = 0; i < 1200; i++) {
        String name =
            Integer.toString(i)
                .chars()
                .mapToObj(c -> "" + (char) ('a' + c - '0'))
                .reduce("", String::concat);
        names.add(name);
      }
      while (!names.isEmpty()) {
        world
            .queue
            .claim(100, Duration.ZERO)
            .forEach(delivery -> delivery.bury(names.remove(names.size() - 1)));
      }
      DeadLetterGroups groups = world.queue.deadLetters().groups(ALL);
      assertThat(groups.groups()).hasSize(1000);
      assertThat(groups.others()).isEqualTo(200);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void list_filter_findsAllMatchesOnce(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      die(world, 1500, IllegalStateException.class, 42);
      Instant between = world.clock.instant().plusMillis(1);
      world.advance(Duration.ofSeconds(1));
      die(world, 30, IllegalArgumentException.class, 7);
      DeadLetters<String> letters = world.queue.deadLetters();

      assertThat(list(letters, ALL.withFailure("IllegalArgument"), 7))
          .hasSize(30)
          .doesNotHaveDuplicates()
          .allMatch(id -> id.startsWith("7-"));
      assertThat(list(letters, ALL.withDiedFrom(between), 1000)).hasSize(30);
      assertThat(list(letters, ALL.withDiedBefore(between), 100)).hasSize(1500);
      assertThat(list(letters, ALL.withIdPrefix("42-14"), 10)).hasSize(111);
      assertThat(list(letters, ALL.withReason(DeadReason.EXPIRED), 10)).isEmpty();
      assertThat(list(letters, ALL, 1)).hasSize(1530).doesNotHaveDuplicates();
      assertThatThrownBy(() -> ALL.withLimit(0)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void redrive_rate_changesSoManyInASecond(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      die(world, 300, IllegalStateException.class, 42);
      die(world, 1000, IllegalArgumentException.class, 7);
      DeadLetterFilter filter = ALL.withFailure("IllegalArgumentException");
      DeadLetterTask task = world.queue.deadLetters().redrive(filter, 100);
      world.advance(Duration.ofSeconds(5));
      assertThat(task.progress().changed()).isBetween(490L, 520L);
      assertThat(task.done().toCompletableFuture()).isNotDone();
      world.advance(Duration.ofSeconds(5));
      DeadLetterProgress end = task.done().toCompletableFuture().join();
      assertThat(end).isEqualTo(new DeadLetterProgress(1300, 1000, 1000, 0, 0, false));
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
      DeadLetterTask task = world.queue.deadLetters().redrive(ALL, 1);
      assertThat(task.progress().changed()).isOne();
      world.advance(Duration.ofMillis(2500));
      assertThat(task.progress().changed()).isEqualTo(3);
      task.cancel();
      world.advance(Duration.ofSeconds(2));
      assertThat(task.await()).isEqualTo(new DeadLetterProgress(5, 5, 3, 0, 0, true));
    }
  }

  @Test
  void delete_limitOfTheFilter_deletesTheOldest() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 1200, IllegalStateException.class, 42);
      die(world, 20, IllegalArgumentException.class, 7);
      DeadLetterTask task = world.queue.deadLetters().delete(ALL.withLimit(1100), UNLIMITED);
      assertThat(task.await().changed()).isEqualTo(1100);
      assertThat(world.queue.counts().dead()).isEqualTo(120);
      assertThat(list(world.queue.deadLetters(), ALL.withIdPrefix("7-"), 100)).hasSize(20);
    }
  }

  @Test
  void redrive_messagesThatDieAgain_areNotRedrivenTwice() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 500, IllegalStateException.class, 42);
      try (Worker worker =
          world.queue.work(ManualWorld.inline().build(), delivery -> delivery.bury("again"))) {
        DeadLetterTask task = world.queue.deadLetters().redrive(ALL, 100);
        world.advance(Duration.ofSeconds(20));
        assertThat(task.await().changed()).isEqualTo(500);
        assertThat(worker.isClosed()).isFalse();
      }
      assertThat(list(world.queue.deadLetters(), ALL.withReason(DeadReason.BY_CALLER), 1000))
          .hasSize(500);
    }
  }

  @Test
  void redrive_deletedMeanwhile_countsAsGone() {
    try (ManualWorld world = new ManualWorld()) {
      die(world, 20, IllegalStateException.class, 42);
      DeadLetterTask task = world.queue.deadLetters().redrive(ALL, 10);
      world.queue.purge(Set.of(State.DEAD));
      world.advance(Duration.ofSeconds(5));
      DeadLetterProgress end = task.await();
      assertThat(end.changed() + end.gone()).isEqualTo(20);
      assertThat(end.gone()).isPositive();
    }
  }

  @Test
  void redrive_clientClosed_endsTheTask() {
    ManualWorld world = new ManualWorld();
    die(world, 20, IllegalStateException.class, 42);
    DeadLetters<String> letters = world.queue.deadLetters();
    DeadLetterTask task = letters.redrive(ALL, 1);
    world.close();
    assertThatThrownBy(task::await).isInstanceOf(ClientClosedException.class);
    assertThat(task.done().toCompletableFuture()).isCompletedExceptionally();
    assertThatThrownBy(() -> letters.redrive(ALL, 1)).isInstanceOf(ClientClosedException.class);
  }

  @Test
  void redrive_newPayload_keepsTheHeadersAndRunsOnce() {
    try (ManualWorld world = new ManualWorld()) {
      world.queue.schedule(Message.of("wrong").id("a").header("tenant", "acme"));
      world.queue.claim(1, Duration.ZERO).get(0).bury("wrong payload");
      DeadLetters<String> letters = world.queue.deadLetters();
      assertThat(letters.redrive("a", "right")).isEqualTo(DeadLetterOutcome.DONE);
      assertThat(letters.redrive("a", "late")).isEqualTo(DeadLetterOutcome.NOT_DEAD);
      assertThat(letters.async().redrive("b", "x").toCompletableFuture().join())
          .isEqualTo(DeadLetterOutcome.NOT_FOUND);
      StoredMessage<String> redriven = world.queue.find("a").orElseThrow();
      assertThat(redriven.payload()).isEqualTo("right");
      assertThat(redriven.headers()).containsEntry("tenant", "acme");
      assertThat(redriven.attempts()).isZero();
      assertThat(redriven.state()).isEqualTo(State.READY);
      world.queue.claim(1, Duration.ZERO).get(0).bury("again");
      String large = "x".repeat(2 << 20);
      assertThatThrownBy(() -> letters.redrive("a", large))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("bytes");
      assertThat(world.queue.find("a").orElseThrow().payload()).isEqualTo("right");
    }
  }
}
