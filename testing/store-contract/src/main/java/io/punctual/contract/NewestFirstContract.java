package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.TimeRange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests listings with the newest message first. */
interface NewestFirstContract {
  private static EntryQuery newest(State state, TimeRange range, boolean withContents) {
    return new EntryQuery(state, range, true, withContents);
  }

  private static List<Entry> listed(TestPartition partition, EntryQuery query, int pageSize) {
    List<Entry> all = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = StoreResults.await(partition.partition().browse(query, cursor, pageSize));
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(pageSize);
      all.addAll(page.entries());
      assertThat(all).hasSizeLessThan(1000);
      cursor = page.next();
    } while (cursor != null);
    return all;
  }

  private static <T> List<T> reversed(List<T> list) {
    List<T> reversed = new ArrayList<>(list);
    Collections.reverse(reversed);
    return reversed;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1000})
  default void newestFirst_eachState_isTheOppositeOfTheListing(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 4; i++) {
      session.schedule("dead" + i, partition.past());
      session.bury(session.claimOne(), "why " + i);
      partition.advance(Duration.ofMillis(i % 2 * 2L));
    }
    for (int i = 0; i < 3; i++) {
      session.schedule("leased" + i, partition.past());
      session.claimOne(Duration.ofHours(i + 1));
    }
    for (int i = 0; i < 9; i++) {
      session.schedule("ready" + i, partition.past(i / 3));
      session.schedule("far" + i, partition.far(i / 3));
    }
    expectOpposite(partition, State.SCHEDULED, pageSize, 9);
    expectOpposite(partition, State.READY, pageSize, 9);
    expectOpposite(partition, State.LEASED, pageSize, 3);
    expectOpposite(partition, State.DEAD, pageSize, 4);
    expectOpposite(partition, State.FINISHED, pageSize, 0);
  }

  private static void expectOpposite(TestPartition partition, State state, int pageSize, int size) {
    List<Entry> all = partition.browse(state, 1000);
    assertThat(all).hasSize(size);
    assertThat(listed(partition, newest(state, TimeRange.ALL, true), pageSize))
        .usingRecursiveComparison()
        .isEqualTo(reversed(all));
    EntryQuery heads = newest(state, TimeRange.ALL, false);
    assertThat(listed(partition, heads, pageSize))
        .usingRecursiveComparison()
        .ignoringFields("content")
        .isEqualTo(reversed(all));
    for (Entry first : all) {
      long from = heads.time(first);
      for (long to : new long[] {from, from + 1, from + 2, Long.MAX_VALUE}) {
        List<String> expected =
            all.stream()
                .filter(entry -> heads.time(entry) >= from && heads.time(entry) < to)
                .map(Entry::id)
                .toList();
        assertThat(listed(partition, heads.withRange(new TimeRange(from, to)), pageSize))
            .as("%s from %d to %d", state, from, to)
            .extracting(Entry::id)
            .containsExactlyElementsOf(reversed(expected));
      }
    }
  }

  @Test
  default void newestFirst_finishedIds_theLastForgottenFirst(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE, Capability.REMEMBER);
    List.of("b", "c", "a").forEach(id -> session.schedule(id, partition.past()));
    for (ClaimedMessage held : session.hold(10, TestSession.LONG)) {
      long forgetAfter = held.id().equals("a") ? 7_200_000 : 3_600_000;
      session.apply(new Operation.Ack(held.id(), held.token(), forgetAfter));
    }
    expectOpposite(partition, State.FINISHED, 1, 3);
    assertThat(listed(partition, newest(State.FINISHED, TimeRange.ALL, false), 2))
        .extracting(Entry::id)
        .containsExactly("a", "c", "b");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  default void newestFirst_removedAndAddedBetweenPages_listsRemainingMessagesOnce(
      boolean withContents, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE, Capability.CANCEL);
    for (int i = 0; i < 30; i++) {
      session.schedule(name(i), partition.far(i / 10));
    }
    EntryQuery query = newest(State.SCHEDULED, TimeRange.ALL, withContents);
    EntryPage page = StoreResults.await(partition.partition().browse(query, null, 12));
    List<String> listed = new ArrayList<>(page.entries().stream().map(Entry::id).toList());
    assertThat(listed).hasSize(12).startsWith("m29", "m28").endsWith("m18");
    List<Integer> removed = List.of(29, 18, 17, 16, 3);
    removed.forEach(i -> session.cancel(name(i)));
    for (int i = 0; i < 30; i++) {
      session.schedule("n" + i, partition.far(i / 10));
    }
    for (String next = page.next(); next != null; ) {
      assertThat(listed).hasSizeLessThan(100);
      EntryPage more = StoreResults.await(partition.partition().browse(query, next, 5));
      more.entries().forEach(entry -> listed.add(entry.id()));
      next = more.next();
    }
    List<String> staying = new ArrayList<>();
    for (int i = 29; i >= 0; i--) {
      if (!removed.contains(i) || i == 29 || i == 18) {
        staying.add(name(i));
      }
    }
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(listed.stream().filter(id -> id.startsWith("m"))).containsExactlyElementsOf(staying);
  }

  private static String name(int number) {
    return String.format(Locale.ROOT, "m%02d", number);
  }

  @Test
  default void newestFirst_cursorOfTheOtherDirection_isRefused(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 3; i++) {
      session.schedule("m" + i, partition.far());
    }
    EntryQuery newest = newest(State.SCHEDULED, TimeRange.ALL, true);
    EntryQuery oldest = new EntryQuery(State.SCHEDULED, TimeRange.ALL, false, true);
    for (EntryQuery query : List.of(newest, oldest)) {
      EntryPage page = StoreResults.await(partition.partition().browse(query, null, 1));
      EntryQuery other = query.equals(newest) ? oldest : newest;
      assertThatThrownBy(
              () -> StoreResults.await(partition.partition().browse(other, page.next(), 1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ursor");
    }
    for (String cursor : List.of("nonsense", " ", "🕰", "1", "-", "bmV3ZXN0Og", "bg")) {
      assertThatThrownBy(() -> StoreResults.await(partition.partition().browse(newest, cursor, 1)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  default void newestFirst_largePayloads_listsAllInSeveralPages(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 12; i++) {
      session.apply(
          new Operation.Schedule(
              name(i), partition.far(i), IfPresent.KEEP, Content.of(new byte[400 * 1024])));
    }
    assertThat(listed(partition, newest(State.SCHEDULED, TimeRange.ALL, true), 12))
        .extracting(Entry::id)
        .containsExactlyElementsOf(
            reversed(partition.browse(State.SCHEDULED, 12).stream().map(Entry::id).toList()));
  }

  @Test
  default void largePayloads_endAPageEarly(TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 20; i++) {
      session.apply(
          new Operation.Schedule(
              name(i), partition.far(i), IfPresent.KEEP, Content.of(new byte[400 * 1024])));
    }
    for (boolean newestFirst : new boolean[] {true, false}) {
      EntryQuery query = new EntryQuery(State.SCHEDULED, TimeRange.ALL, newestFirst, true);
      EntryPage page = StoreResults.await(partition.partition().browse(query, null, 1000));
      assertThat(page.entries()).hasSizeBetween(1, 19);
      assertThat(page.next()).isNotNull();
      assertThat(listed(partition, query, 1000)).hasSize(20);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000})
  default void newestFirst_queueOfAClient_isOneOrderOfAllPartitions(
      int pageSize, TestPartition partition) {
    partition.needs(Capability.BROWSE);
    try (Punctual client = partition.client()) {
      TimedQueue<String> queue = client.queue(partition.partition().queue(), Codec.string());
      Instant start = Instant.ofEpochMilli(partition.far().millis());
      List<Message<String>> messages = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        messages.add(Message.of("payload " + i).id(name(i)).dueAt(start.plusMillis(i / 4)));
      }
      queue.scheduleAll(messages);
      MessageQuery query = MessageQuery.of(State.SCHEDULED).limit(pageSize).newestFirst();
      List<StoredMessage<String>> all = queue.stream(query).toList();
      assertThat(all)
          .isSortedAccordingTo(Comparator.comparing(StoredMessage<String>::dueAt).reversed())
          .extracting(StoredMessage::id)
          .containsExactlyInAnyOrderElementsOf(
              messages.stream().map(message -> message.id().orElseThrow()).toList());
      assertThat(all)
          .allSatisfy(
              one ->
                  assertThat(one.payload())
                      .isEqualTo("payload " + Integer.parseInt(one.id().substring(1))));
      assertThat(queue.browse(query).items()).hasSize(Math.min(pageSize, 60));
      MessageQuery part = query.from(start.plusMillis(3)).to(start.plusMillis(9));
      assertThat(queue.stream(part.withoutPayloads()))
          .hasSize(24)
          .isSortedAccordingTo(Comparator.comparing(StoredMessage<String>::dueAt).reversed());
      MessageQuery other = MessageQuery.of(State.SCHEDULED).limit(1);
      String ofOther = queue.browse(other).next().orElseThrow();
      String ofNewest = queue.browse(query.limit(1)).next().orElseThrow();
      assertThatThrownBy(() -> queue.browse(query.after(ofOther)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor");
      assertThatThrownBy(() -> queue.browse(other.after(ofNewest)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cursor");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1000})
  default void newestFirst_deadLettersOfAClient_theLatestDeathFirst(
      int pageSize, TestPartition partition) {
    partition.needs(Capability.BROWSE);
    try (Punctual client = partition.client()) {
      TimedQueue<String> queue = client.queue(partition.partition().queue(), Codec.string());
      List<String> died = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        Delivery<String> delivery = TwoProcesses.scheduled(partition, queue, name(i));
        delivery.bury(i % 3 == 0 ? "third" : "other");
        died.add(delivery.id());
      }
      assertThat(queue.deadLetters().stream(DeadLetterQuery.all().limit(pageSize).newestFirst()))
          .extracting(StoredMessage::id)
          .containsExactlyElementsOf(reversed(died));
      DeadLetterQuery thirds =
          DeadLetterQuery.of(DeadLetterFilter.ALL.withFailure("third")).limit(pageSize);
      assertThat(queue.deadLetters().stream(thirds.newestFirst()))
          .extracting(StoredMessage::id)
          .containsExactly("m09", "m06", "m03", "m00");
      Page<StoredMessage<String>> page =
          queue.deadLetters().list(DeadLetterQuery.all().limit(1).newestFirst());
      DeadLetterQuery oldest = DeadLetterQuery.all().after(page.next().orElseThrow());
      assertThatThrownBy(() -> queue.deadLetters().list(oldest))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  default void newestFirst_timesBefore1970AndFarOff_byDueTime(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("b", new DueTime(false, 0));
    session.schedule("a", new DueTime(false, -31_000_000_000_000L));
    session.schedule("d", new DueTime(false, 31_000_000_000_001L));
    session.schedule("c", new DueTime(false, 31_000_000_000_000L));
    assertThat(listed(partition, newest(State.READY, TimeRange.ALL, true), 1))
        .extracting(Entry::id)
        .containsExactly("b", "a");
    assertThat(listed(partition, newest(State.SCHEDULED, TimeRange.ALL, true), 1))
        .extracting(Entry::id)
        .containsExactly("d", "c");
  }
}
