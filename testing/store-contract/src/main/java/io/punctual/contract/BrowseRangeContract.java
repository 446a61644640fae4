package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spi.Capability;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.TimeRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests listings of a range of times, page by page. */
interface BrowseRangeContract {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000})
  default void browse_range_theMessagesOfTheFullListingInTheRange(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 3; i++) {
      session.schedule("dead" + i, partition.past());
      session.bury(session.claimOne(), "not wanted");
      partition.advance(Duration.ofMillis(2));
    }
    for (int i = 0; i < 3; i++) {
      session.schedule("leased" + i, partition.past());
      session.claimOne(Duration.ofHours(i + 1));
    }
    for (int i = 0; i < 8; i++) {
      session.schedule("ready" + i, partition.past(i / 2));
      session.schedule("far" + i, partition.far(i / 2));
    }
    expect(partition, State.SCHEDULED, pageSize, Entry::dueMillis, 8);
    expect(partition, State.READY, pageSize, Entry::dueMillis, 8);
    expect(partition, State.LEASED, pageSize, Entry::leasedUntilMillis, 3);
    expect(partition, State.DEAD, pageSize, Entry::diedAtMillis, 3);
  }

  private static void expect(
      TestPartition partition, State state, int pageSize, ToLongFunction<Entry> time, int size) {
    List<Entry> all = partition.browse(state, 1000);
    assertThat(all).hasSize(size);
    long first = time.applyAsLong(all.get(0));
    long last = time.applyAsLong(all.get(size - 1));
    long middle = time.applyAsLong(all.get(size / 2));
    for (long from : new long[] {Long.MIN_VALUE, first, middle, middle + 1, last, last + 1}) {
      for (long to : new long[] {first, middle, last, last + 1, Long.MAX_VALUE}) {
        List<String> expected =
            all.stream()
                .filter(entry -> time.applyAsLong(entry) >= from && time.applyAsLong(entry) < to)
                .map(Entry::id)
                .toList();
        assertThat(ids(partition, state, new TimeRange(from, to), pageSize))
            .as("%s from %d to %d", state, from, to)
            .containsExactlyElementsOf(expected);
      }
    }
  }

  private static List<String> ids(
      TestPartition partition, State state, TimeRange range, int pageSize) {
    List<String> ids = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page =
          StoreResults.await(partition.partition().browse(state, range, cursor, pageSize, false));
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(pageSize);
      page.entries().forEach(entry -> ids.add(entry.id()));
      assertThat(ids).hasSizeLessThan(100);
      cursor = page.next();
    } while (cursor != null);
    return ids;
  }

  @Test
  default void browse_queryOfAClient_selectsByTimeAndPayload(TestPartition partition) {
    partition.needs(Capability.BROWSE);
    try (Punctual client = partition.client()) {
      TimedQueue<String> queue = client.queue(partition.partition().queue(), Codec.string());
      Instant start = Instant.ofEpochMilli(partition.far().millis());
      for (int i = 0; i < 5; i++) {
        queue.schedule(Message.of("payload " + i).id("m" + i).dueAt(start.plusSeconds(i)));
      }
      MessageQuery query =
          MessageQuery.of(State.SCHEDULED).from(start.plusSeconds(1)).to(start.plusSeconds(4));
      assertThat(all(queue, query))
          .extracting(StoredMessage::payload)
          .containsExactlyInAnyOrder("payload 1", "payload 2", "payload 3");
      MessageQuery last = query.from(start.plusSeconds(3)).withoutPayloads();
      List<StoredMessage<String>> heads = all(queue, last);
      assertThat(heads).hasSize(1);
      StoredMessage<String> head = heads.get(0);
      assertThat(head.id()).isEqualTo("m3");
      assertThat(head.dueAt()).isEqualTo(start.plusSeconds(3));
      assertThatThrownBy(head::payload)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("without its payload");
    }
  }

  private static List<StoredMessage<String>> all(TimedQueue<String> queue, MessageQuery query) {
    return queue.stream(query.limit(2)).toList();
  }
}
