package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.CancelOutcome;
import io.punctual.Counts;
import io.punctual.Message;
import io.punctual.ScheduleOutcome;
import io.punctual.StoredMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests calls for many ids at once. */
class BatchCallsTest {
  private static List<String> schedule(ManualWorld world, int number) {
    List<Message<String>> messages =
        IntStream.range(0, number)
            .mapToObj(i -> Message.of("payload " + i).id("m" + i).dueIn(Duration.ofHours(1)))
            .toList();
    assertThat(world.queue.scheduleAll(messages)).hasSize(number);
    return messages.stream().map(message -> message.id().orElseThrow()).toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void cancelAll_presentAndMissingIds_outcomesInTheOrderOfTheIds(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      List<String> ids = new ArrayList<>(schedule(world, 2500));
      Collections.reverse(ids);
      ids.add(1, "missing");
      List<CancelOutcome> outcomes = new ArrayList<>(world.queue.cancelAll(ids));
      assertThat(outcomes).hasSameSizeAs(ids);
      assertThat(outcomes.get(1)).isEqualTo(CancelOutcome.NOT_FOUND);
      outcomes.remove(1);
      assertThat(outcomes).containsOnly(CancelOutcome.CANCELLED);
      assertThat(world.queue.counts().scheduled()).isZero();
    }
  }

  @Test
  void asyncCancelAll_thenSchedule_takeEffectInTheOrderOfTheCalls() {
    try (ManualWorld world = new ManualWorld(3)) {
      List<String> ids = schedule(world, 3000);
      CompletableFuture<List<CancelOutcome>> cancelled =
          world.queue.async().cancelAll(ids).toCompletableFuture();
      assertThat(world.queue.schedule(Message.of("new").id(ids.get(2999))).outcome())
          .isEqualTo(ScheduleOutcome.STORED);
      assertThat(cancelled.join()).containsOnly(CancelOutcome.CANCELLED);
      assertThat(world.queue.counts())
          .extracting(Counts::pending, Counts::ready, Counts::dead, Counts::finished)
          .containsExactly(1L, 1L, 0L, 0L);
    }
  }

  @Test
  void cancelAll_sameIdTwice_secondIsNotFound() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, 1);
      assertThat(world.queue.cancelAll(List.of("m0", "m0")))
          .containsExactly(CancelOutcome.CANCELLED, CancelOutcome.NOT_FOUND);
      assertThat(world.queue.cancelAll(List.of())).isEmpty();
    }
  }

  @Test
  void cancelAll_oneBadId_cancelsNothing() {
    try (ManualWorld world = new ManualWorld()) {
      schedule(world, 2);
      assertThatThrownBy(() -> world.queue.cancelAll(List.of("m0", "", "m1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("An id has 1 to");
      assertThatThrownBy(() -> world.queue.findAll(List.of("m0", "")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(world.queue.counts().scheduled()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void findAll_presentAndMissingIds_resultsInTheOrderOfTheIds(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions)) {
      List<String> ids = new ArrayList<>(schedule(world, 2500));
      Collections.reverse(ids);
      ids.add(1200, "missing");
      List<Optional<StoredMessage<String>>> found = world.queue.findAll(ids);
      assertThat(found).hasSameSizeAs(ids);
      assertThat(found.get(1200)).isEmpty();
      for (int i = 0; i < ids.size(); i++) {
        String id = ids.get(i);
        assertThat(found.get(i).map(StoredMessage::id))
            .isEqualTo(i == 1200 ? Optional.empty() : Optional.of(id));
      }
      assertThat(found.get(0).orElseThrow().payload()).isEqualTo("payload 2499");
      assertThat(world.queue.async().findAll(List.of()).toCompletableFuture().join()).isEmpty();
    }
  }
}
