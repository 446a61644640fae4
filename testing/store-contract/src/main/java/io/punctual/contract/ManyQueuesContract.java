package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Forecast;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests look-ups in many queues by one call. */
interface ManyQueuesContract {
  /** More queues than a store asks at a time. */
  int QUEUES = 300;

  @Test
  default void find_idInSomeOfManyQueues_returnsTheMessageOfEach(TestPartition partition) {
    partition.needs(Capability.BROWSE, Capability.PURGE, Capability.DEAD_LETTERS);
    withQueues(
        partition,
        queues -> {
          Punctual punctual = queues.punctual();
          queues.of(250).schedule(message("wanted", partition.far().millis()));
          queues.of(17, 3).schedule(message("wanted", partition.past().millis()));
          queues.of(17, 3).schedule(message("other", partition.past().millis()));
          queues.of(99).schedule(message("wanted", partition.past().millis()));
          Delivery<String> leased = claimOne(queues.of(99));
          queues.of(3).schedule(message("wanted", partition.past().millis()));
          claimOne(queues.of(3)).bury("why");
          queues.of(4).schedule(message("other", partition.past().millis()));

          Map<String, StoredMessage<byte[]>> found = punctual.find("wanted", queues.names());

          List<Integer> having = List.of(250, 99, 17, 3);
          assertThat(found.keySet())
              .containsExactlyElementsOf(having.stream().map(queues::name).toList());
          for (int index : having) {
            StoredMessage<byte[]> message = Objects.requireNonNull(found.get(queues.name(index)));
            StoredMessage<String> alone = queues.of(index).find("wanted").orElseThrow();
            assertThat(message).hasToString(alone.toString());
            assertThat(message.payloadBytes()).isEqualTo(alone.payloadBytes());
            assertThat(message.attempts()).isEqualTo(alone.attempts());
            assertThat(message.leasedUntil()).isEqualTo(alone.leasedUntil());
            assertThat(message.leaseHolder()).isEqualTo(alone.leaseHolder());
            assertThat(message.reason()).isEqualTo(alone.reason());
          }
          assertThat(punctual.find("absent", queues.names())).isEmpty();
          assertThat(punctual.find("wanted", List.of())).isEmpty();
          assertThat(punctual.queues()).doesNotContain(queues.name(0));
          leased.ack();
        });
  }

  @Test
  default void forecast_ofManyQueues_equalsTheForecastOfEach(TestPartition partition) {
    partition.needs(Capability.FORECAST, Capability.PURGE);
    withQueues(
        partition,
        queues -> {
          for (int offset : List.of(0, 9, 10, 11, 29)) {
            queues.of(120).schedule(message("m" + offset, partition.far(offset).millis()));
            queues.of(7, 3).schedule(message("m" + offset, partition.far(offset + 5).millis()));
          }
          Instant from = Instant.ofEpochMilli(partition.far().millis());
          Instant to = from.plusMillis(30);

          List<Forecast> forecasts = queues.punctual().forecast(queues.names(), from, to, 3);

          List<Integer> having = List.of(120, 7);
          List<Forecast> expected =
              queues.indexes().stream()
                  .map(
                      index ->
                          having.contains(index)
                              ? queues.of(index).forecast(from, to, 3)
                              : new Forecast(from, Duration.ofMillis(10), List.of(0L, 0L, 0L)))
                  .toList();
          assertThat(forecasts).isEqualTo(expected);
          assertThat(queues.of(120).forecast(from, to, 3).counts()).containsExactly(2L, 2L, 1L);
          assertThat(queues.of(7).forecast(from, to, 3).counts()).containsExactly(1L, 3L, 0L);
          assertThat(queues.punctual().forecast(List.of(), from, to, 3)).isEmpty();
          assertThatThrownBy(() -> queues.punctual().forecast(queues.names(), to, from, 3))
              .isInstanceOf(IllegalArgumentException.class);
        });
  }

  private static void withQueues(TestPartition partition, Consumer<Queues> test) {
    String prefix = "many-" + TestSession.newId() + ".";
    try (Punctual punctual = partition.client()) {
      Queues queues = new Queues(punctual, prefix, new ArrayList<>());
      try {
        test.accept(queues);
      } finally {
        queues.used().forEach(punctual::purgeAndDeleteQueue);
      }
    }
  }

  private static Message<String> message(String id, long dueMillis) {
    return Message.of("payload of " + id).id(id).dueAt(Instant.ofEpochMilli(dueMillis));
  }

  private static Delivery<String> claimOne(TimedQueue<String> queue) {
    List<Delivery<String>> claimed =
        queue.claim(1, ClaimOptions.DEFAULT.lease(TestSession.LONG).maxWait(Duration.ZERO));
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  /**
   * The queues of a test, of which only some exist.
   *
   * @param used the names of the queues that exist
   */
  record Queues(Punctual punctual, String prefix, List<String> used) {
    /** Returns the indexes of all queues, in an order that is not sorted. */
    List<Integer> indexes() {
      List<Integer> indexes = new ArrayList<>(IntStream.range(0, QUEUES).boxed().toList());
      Collections.reverse(indexes);
      return indexes;
    }

    List<String> names() {
      return indexes().stream().map(this::name).toList();
    }

    String name(int index) {
      return prefix + index;
    }

    TimedQueue<String> of(int index) {
      used.add(name(index));
      return punctual.queue(name(index), Codec.string());
    }

    TimedQueue<String> of(int index, int partitions) {
      used.add(name(index));
      return punctual.queue(name(index), Codec.string(), partitions);
    }
  }
}
