package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetters;
import io.punctual.deadletter.DeadReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the groups and filters of dead letters, and the tasks that redrive or delete them. */
class DeadLettersTest {
  private static final DeadLetterFilter ALL = DeadLetterFilter.ALL;

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
