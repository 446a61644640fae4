package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.PartitionCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests find, browse, counts and forecast. */
interface LookUpContract {
  @Test
  default void findMany_messagesInAllStates_returnsThoseThatExist(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("dead", partition.past());
    session.bury(session.claimOne(), "why");
    session.schedule("leased", partition.past());
    session.claimOne();
    session.schedule("ready", partition.past());
    session.schedule("scheduled", partition.far());
    List<String> ids = List.of("none", "scheduled", "ready", "leased", "dead", "other");
    List<Entry> found = StoreResults.await(partition.partition().find(ids));
    assertThat(found)
        .extracting(Entry::id)
        .containsExactlyInAnyOrder("scheduled", "ready", "leased", "dead");
    for (Entry entry : found) {
      assertThat(entry).usingRecursiveComparison().isEqualTo(partition.entry(entry.id()));
    }
    assertThat(StoreResults.await(partition.partition().find(List.<String>of()))).isEmpty();
  }

  @Test
  default void find_absent_empty(TestPartition partition) {
    partition.needs(Capability.BROWSE);
    assertThat(partition.find("a")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ABSENT", "FINISHED"})
  default void find_eachInitialState_tellsIt(
      InitialState state, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    ClaimedMessage held = state.arrange(partition, session);
    Entry entry = partition.entry(InitialState.ID);
    boolean beforeSecondClaim = state == InitialState.SCHEDULED || state == InitialState.READY;
    assertThat(entry.id()).isEqualTo(InitialState.ID);
    assertThat(entry.state()).isEqualTo(state.state());
    assertThat(TestPartition.payload(entry)).isEqualTo(InitialState.OLD);
    assertThat(entry.attempts()).isEqualTo(beforeSecondClaim ? 1 : 2);
    assertThat(entry.history()).asString().isEqualTo(InitialState.HISTORY);
    assertThat(entry.dueMillis())
        .isEqualTo((state == InitialState.SCHEDULED ? partition.far() : partition.past()).millis());
    assertThat(entry.leasedUntilMillis())
        .isEqualTo(state.isLeased() ? held.leasedUntilMillis() : 0);
    assertThat(entry.cancelled()).isEqualTo(state.name().contains("MARKED"));
    assertThat(entry.diedAtMillis() != 0).isEqualTo(state == InitialState.DEAD);
  }

  @Test
  default void find_neverTried_noAttemptsAndNoHistory(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.far());
    assertThat(partition.entry("a").attempts()).isZero();
    assertThat(partition.entry("a").history()).isEmpty();
  }

  @Test
  default void find_buried_tellsWhenItDied(TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    partition.advance(Duration.ofMillis(5));
    long before = session.nowMicros() / 1000;
    session.bury(held, "why");
    long after = session.nowMicros() / 1000;
    assertThat(partition.entry("a").diedAtMillis()).isBetween(before, after + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1000})
  default void browse_waiting_byDueTimeThenId(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("c", partition.past(1));
    session.schedule("a", partition.past(1));
    session.schedule("b", partition.past());
    session.schedule("f", partition.far());
    session.schedule("e", partition.far());
    session.schedule("d", partition.far(1));
    assertThat(partition.browseIds(State.READY, pageSize)).containsExactly("b", "a", "c");
    assertThat(partition.browseIds(State.SCHEDULED, pageSize)).containsExactly("e", "f", "d");
    assertThat(partition.browseIds(State.LEASED, pageSize)).isEmpty();
    assertThat(partition.browseIds(State.DEAD, pageSize)).isEmpty();
  }

  @Test
  default void browse_timesBefore1970AndFarOff_byDueTime(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("b", new DueTime(false, 0));
    session.schedule("a", new DueTime(false, -31_000_000_000_000L));
    session.schedule("d", new DueTime(false, 31_000_000_000_001L));
    session.schedule("c", new DueTime(false, 31_000_000_000_000L));
    assertThat(partition.browseIds(State.READY, 1)).containsExactly("a", "b");
    assertThat(partition.browseIds(State.SCHEDULED, 1)).containsExactly("c", "d");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000})
  default void browse_leased_byEndOfLease(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    session.claimOne(Duration.ofHours(3));
    session.schedule("b", partition.past());
    session.claimOne(Duration.ofHours(2));
    session.schedule("d", partition.past(1));
    session.schedule("c", partition.past(2));
    session.hold(10, Duration.ofHours(1));
    assertThat(partition.browseIds(State.LEASED, pageSize)).containsExactly("c", "d", "b", "a");
    assertThat(partition.browseIds(State.READY, pageSize)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000})
  default void browse_dead_byTimeOfDeath(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    List<String> ids = List.of("b", "c", "a");
    ids.forEach(id -> session.schedule(id, partition.past()));
    List<ClaimedMessage> held = session.hold(10, TestSession.LONG);
    for (String id : ids) {
      held.stream().filter(one -> one.id().equals(id)).forEach(one -> session.bury(one, id));
      partition.advance(Duration.ofMillis(2));
    }
    List<Entry> dead = partition.browse(State.DEAD, pageSize);
    assertThat(dead).extracting(Entry::id).containsExactlyElementsOf(ids);
    assertThat(dead).extracting(Entry::diedAtMillis).isSorted();
    assertThat(dead)
        .allSatisfy(entry -> assertThat(entry.history()).asString().isEqualTo(entry.id()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  default void browse_withoutContents_theSameEntriesWithoutContents(
      int pageSize, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (int i = 0; i < 9; i++) {
      session.schedule("m" + i, partition.past());
    }
    List<ClaimedMessage> held = session.hold(6, TestSession.LONG);
    held.subList(0, 3).forEach(one -> session.bury(one, "why " + one.id()));
    for (State state : List.of(State.READY, State.LEASED, State.DEAD)) {
      List<Entry> full = partition.browse(state, 9);
      assertThat(full).hasSize(3).allSatisfy(entry -> assertThat(entry.content()).isNotNull());
      List<Entry> heads = partition.browse(state, pageSize, false);
      assertThat(heads).allSatisfy(entry -> assertThat(entry.content()).isNull());
      assertThat(heads).usingRecursiveComparison().ignoringFields("content").isEqualTo(full);
    }
  }

  @Test
  default void browse_removedAndAddedBetweenPages_listsRemainingMessagesOnce(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE, Capability.CANCEL);
    List<String> staying = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      session.schedule(String.format(Locale.ROOT, "m%02d", i), partition.far(i / 5));
    }
    EntryPage page = StoreResults.await(partition.partition().browse(State.SCHEDULED, null, 12));
    List<String> listed = new ArrayList<>(page.entries().stream().map(Entry::id).toList());
    for (int i : new int[] {0, 10, 11, 12, 20}) {
      session.cancel(String.format(Locale.ROOT, "m%02d", i));
    }
    for (int i = 0; i < 30; i++) {
      session.schedule("n" + i, partition.far(i / 5));
    }
    for (int i = 0; i < 30; i++) {
      if (!List.of(0, 10, 11, 12, 20).contains(i)) {
        staying.add(String.format(Locale.ROOT, "m%02d", i));
      }
    }
    for (String next = page.next(); next != null; ) {
      assertThat(listed).hasSizeLessThan(100);
      EntryPage more = StoreResults.await(partition.partition().browse(State.SCHEDULED, next, 5));
      more.entries().forEach(entry -> listed.add(entry.id()));
      next = more.next();
    }
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(listed.stream().filter(staying::contains)).containsExactlyElementsOf(staying);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", " ", "🕰", "1", "-", "1:a:b:c"})
  default void browse_foreignCursor_refused(
      String cursor, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    session.schedule("a", partition.past());
    assertThatThrownBy(
            () -> StoreResults.await(partition.partition().browse(State.READY, cursor, 10)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void counts_lifeOfAMessage_inOneStateAtATime(
      TestPartition partition, TestSession session) {
    partition.expectCounts(0, 0, 0, 0);
    session.schedule("a", new DueTime(true, 3_600_000));
    partition.expectCounts(1, 0, 0, 0);
    session.schedule("a", new DueTime(true, 10), IfPresent.REPLACE, "payload");
    partition.advance(Duration.ofMillis(12));
    partition.expectCounts(0, 1, 0, 0);
    ClaimedMessage held = session.claimOne();
    partition.expectCounts(0, 0, 1, 0);
    session.retry(held, partition.far(), "why");
    partition.expectCounts(1, 0, 0, 0);
    session.schedule("a", partition.past(), IfPresent.EARLIEST, "payload");
    session.bury(session.claimOne(), "why");
    partition.expectCounts(0, 0, 0, 1);
  }

  @Test
  default void counts_readyMessages_areAsOverdueAsTheOldest(
      TestPartition partition, TestSession session) {
    session.schedule("far", partition.far());
    assertThat(partition.counts().overdueMillis()).isZero();
    session.schedule("second", partition.past(200_000));
    session.schedule("first", partition.past());
    expectOverdue(partition, session, partition.past());
    ClaimedMessage held = session.hold(1, TestSession.LONG).get(0);
    expectOverdue(partition, session, partition.past(200_000));
    session.cancel("second");
    assertThat(partition.counts().overdueMillis()).isZero();
    session.retry(held, partition.past(100_000), "failed");
    expectOverdue(partition, session, partition.past(100_000));
  }

  private static void expectOverdue(TestPartition partition, TestSession session, DueTime oldest) {
    long before = session.nowMicros() / 1000 - oldest.millis();
    long overdue = partition.counts().overdueMillis();
    assertThat(overdue).isBetween(before, session.nowMicros() / 1000 - oldest.millis());
  }

  @Test
  default void counts_becomesDue_scheduledThenReady(TestPartition partition, TestSession session) {
    long due = session.schedule("a", new DueTime(true, 25)).dueMillis();
    for (int i = 0; i < 20; i++) {
      long before = session.nowMicros() / 1000;
      PartitionCounts counts = partition.counts();
      long after = session.nowMicros() / 1000;
      if (before >= due) {
        assertThat(counts.ready()).isEqualTo(1);
      } else if (after < due) {
        assertThat(counts.scheduled()).isEqualTo(1);
      }
      assertThat(counts.scheduled() + counts.ready()).isEqualTo(1);
      partition.advance(Duration.ofMillis(2));
    }
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void forecast_edgesOfSpans_countWhereTheyBegin(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.FORECAST);
    long from = partition.far().millis();
    for (long offset : new long[] {-1, 0, 9, 10, 19, 20, 21, 29, 30}) {
      session.schedule("m" + offset, partition.far(offset));
    }
    assertThat(StoreResults.await(partition.partition().forecast(from, 10, 3)))
        .containsExactly(2, 2, 3);
    assertThat(StoreResults.await(partition.partition().forecast(from, 1, 1))).containsExactly(1);
    assertThat(StoreResults.await(partition.partition().forecast(from - 1, 1, 3)))
        .containsExactly(1, 1, 0);
  }

  @Test
  default void forecast_onlyWaitingMessages_counted(TestPartition partition, TestSession session) {
    partition.needs(Capability.FORECAST);
    List.of("leased", "dead").forEach(id -> session.schedule(id, partition.past()));
    for (ClaimedMessage held : session.hold(10, TestSession.LONG)) {
      if (held.id().equals("dead")) {
        session.bury(held, "why");
      }
    }
    session.schedule("ready", partition.past(7));
    session.schedule("scheduled", partition.far());
    assertThat(StoreResults.await(partition.partition().forecast(partition.past(0).millis(), 5, 2)))
        .containsExactly(0, 1);
    long width = partition.far().millis() - partition.past().millis() + 1;
    assertThat(
            StoreResults.await(partition.partition().forecast(partition.past().millis(), width, 1)))
        .containsExactly(2);
  }

  @Test
  default void forecast_asManySpansAsAllowed_eachCounted(
      TestPartition partition, TestSession session) {
    partition.needs(Capability.FORECAST);
    session.apply(
        IntStream.range(0, 500)
            .mapToObj(
                i -> TestSession.scheduling("m" + i, partition.far(i * 7L), IfPresent.KEEP, "p"))
            .toList());
    assertThat(StoreResults.await(partition.partition().forecast(partition.far().millis(), 7, 500)))
        .hasSize(500)
        .containsOnly(1);
  }

  @Test
  default void forecast_emptyPartition_allZero(TestPartition partition) {
    partition.needs(Capability.FORECAST);
    assertThat(StoreResults.await(partition.partition().forecast(0, 86_400_000, 3)))
        .containsExactly(0, 0, 0);
  }
}
