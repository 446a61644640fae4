package io.punctual.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.State;
import io.punctual.spi.Capability;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.LaneCounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Find, browse, counts and forecast. */
interface LookUpContract {
  @Test
  default void find_absent_empty(TestLane lane) {
    lane.needs(Capability.BROWSE);
    assertThat(lane.find("a")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ABSENT")
  default void find_eachStanding_tellsIt(Standing standing, TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    Held held = standing.arrange(lane, session);
    Entry entry = lane.entry(Standing.ID);
    boolean beforeSecondClaim = standing == Standing.SCHEDULED || standing == Standing.READY;
    assertThat(entry.id()).isEqualTo(Standing.ID);
    assertThat(entry.state()).isEqualTo(standing.state());
    assertThat(TestLane.payload(entry)).isEqualTo(Standing.OLD);
    assertThat(entry.attempts()).isEqualTo(beforeSecondClaim ? 1 : 2);
    assertThat(entry.history()).asString().isEqualTo(Standing.HISTORY);
    assertThat(entry.dueMillis())
        .isEqualTo((standing == Standing.SCHEDULED ? lane.far() : lane.past()).millis());
    assertThat(entry.leasedUntilMillis())
        .isEqualTo(standing.isLeased() ? held.leasedUntilMillis() : 0);
    assertThat(entry.cancelled()).isEqualTo(standing.name().contains("MARKED"));
    assertThat(entry.diedAtMillis() != 0).isEqualTo(standing == Standing.DEAD);
  }

  @Test
  default void find_neverTried_noAttemptsAndNoHistory(TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("a", lane.far());
    assertThat(lane.entry("a").attempts()).isZero();
    assertThat(lane.entry("a").history()).isEmpty();
  }

  @Test
  default void find_buried_tellsWhenItDied(TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("a", lane.past());
    Held held = session.holdOne();
    lane.advance(Duration.ofMillis(5));
    long before = session.nowMicros() / 1000;
    session.bury(held, "why");
    long after = session.nowMicros() / 1000;
    assertThat(lane.entry("a").diedAtMillis()).isBetween(before, after + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1000})
  default void browse_waiting_byDueTimeThenId(int pageSize, TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("c", lane.past(1));
    session.schedule("a", lane.past(1));
    session.schedule("b", lane.past());
    session.schedule("f", lane.far());
    session.schedule("e", lane.far());
    session.schedule("d", lane.far(1));
    assertThat(lane.browseIds(State.READY, pageSize)).containsExactly("b", "a", "c");
    assertThat(lane.browseIds(State.SCHEDULED, pageSize)).containsExactly("e", "f", "d");
    assertThat(lane.browseIds(State.LEASED, pageSize)).isEmpty();
    assertThat(lane.browseIds(State.DEAD, pageSize)).isEmpty();
  }

  @Test
  default void browse_timesBefore1970AndFarOff_byDueTime(TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("b", new DueTime(false, 0));
    session.schedule("a", new DueTime(false, -31_000_000_000_000L));
    session.schedule("d", new DueTime(false, 31_000_000_000_001L));
    session.schedule("c", new DueTime(false, 31_000_000_000_000L));
    assertThat(lane.browseIds(State.READY, 1)).containsExactly("a", "b");
    assertThat(lane.browseIds(State.SCHEDULED, 1)).containsExactly("c", "d");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000})
  default void browse_leased_byEndOfLease(int pageSize, TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("a", lane.past());
    session.holdOne(Duration.ofHours(3));
    session.schedule("b", lane.past());
    session.holdOne(Duration.ofHours(2));
    session.schedule("d", lane.past(1));
    session.schedule("c", lane.past(2));
    session.hold(10, Duration.ofHours(1));
    assertThat(lane.browseIds(State.LEASED, pageSize)).containsExactly("c", "d", "b", "a");
    assertThat(lane.browseIds(State.READY, pageSize)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 1000})
  default void browse_dead_byTimeOfDeath(int pageSize, TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    List<String> ids = List.of("b", "c", "a");
    ids.forEach(id -> session.schedule(id, lane.past()));
    List<Held> held = session.hold(10, TestSession.LONG);
    for (String id : ids) {
      held.stream().filter(one -> one.id().equals(id)).forEach(one -> session.bury(one, id));
      lane.advance(Duration.ofMillis(2));
    }
    List<Entry> dead = lane.browse(State.DEAD, pageSize);
    assertThat(dead).extracting(Entry::id).containsExactlyElementsOf(ids);
    assertThat(dead).extracting(Entry::diedAtMillis).isSorted();
    assertThat(dead)
        .allSatisfy(entry -> assertThat(entry.history()).asString().isEqualTo(entry.id()));
  }

  @Test
  default void browse_removedAndAddedBetweenPages_listsWhatStaysOnce(
      TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE, Capability.CANCEL);
    List<String> staying = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      session.schedule("m%02d".formatted(i), lane.far(i / 5));
    }
    EntryPage page = Stages.await(lane.lane().browse(State.SCHEDULED, null, 12));
    List<String> listed = new ArrayList<>(page.entries().stream().map(Entry::id).toList());
    for (int i : new int[] {0, 10, 11, 12, 20}) {
      session.cancel("m%02d".formatted(i));
    }
    for (int i = 0; i < 30; i++) {
      session.schedule("n" + i, lane.far(i / 5));
    }
    for (int i = 0; i < 30; i++) {
      if (!List.of(0, 10, 11, 12, 20).contains(i)) {
        staying.add("m%02d".formatted(i));
      }
    }
    for (String next = page.next(); next != null; ) {
      assertThat(listed).hasSizeLessThan(100);
      EntryPage more = Stages.await(lane.lane().browse(State.SCHEDULED, next, 5));
      more.entries().forEach(entry -> listed.add(entry.id()));
      next = more.next();
    }
    assertThat(listed).doesNotHaveDuplicates();
    assertThat(listed.stream().filter(staying::contains)).containsExactlyElementsOf(staying);
  }

  @ParameterizedTest
  @ValueSource(strings = {"nonsense", " ", "🕰", "1", "-", "1:a:b:c"})
  default void browse_foreignCursor_refused(String cursor, TestLane lane, TestSession session) {
    lane.needs(Capability.BROWSE);
    session.schedule("a", lane.past());
    assertThatThrownBy(() -> Stages.await(lane.lane().browse(State.READY, cursor, 10)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  default void counts_lifeOfAMessage_inOneStateAtATime(TestLane lane, TestSession session) {
    lane.expectCounts(0, 0, 0, 0);
    session.schedule("a", new DueTime(true, 3_600_000));
    lane.expectCounts(1, 0, 0, 0);
    session.schedule("a", new DueTime(true, 10), IfPresent.REPLACE, "payload");
    lane.advance(Duration.ofMillis(12));
    lane.expectCounts(0, 1, 0, 0);
    Held held = session.holdOne();
    lane.expectCounts(0, 0, 1, 0);
    session.retry(held, lane.far(), "why");
    lane.expectCounts(1, 0, 0, 0);
    session.schedule("a", lane.past(), IfPresent.EARLIEST, "payload");
    session.bury(session.holdOne(), "why");
    lane.expectCounts(0, 0, 0, 1);
  }

  @Test
  default void counts_becomesDue_scheduledThenReady(TestLane lane, TestSession session) {
    long due = session.schedule("a", new DueTime(true, 25)).dueMillis();
    for (int i = 0; i < 20; i++) {
      long before = session.nowMicros() / 1000;
      LaneCounts counts = lane.counts();
      long after = session.nowMicros() / 1000;
      if (before >= due) {
        assertThat(counts.ready()).isEqualTo(1);
      } else if (after < due) {
        assertThat(counts.scheduled()).isEqualTo(1);
      }
      assertThat(counts.scheduled() + counts.ready()).isEqualTo(1);
      lane.advance(Duration.ofMillis(2));
    }
    assertThat(session.claimIds()).containsExactly("a");
  }

  @Test
  default void forecast_edgesOfSpans_countWhereTheyBegin(TestLane lane, TestSession session) {
    lane.needs(Capability.FORECAST);
    long from = lane.far().millis();
    for (long offset : new long[] {-1, 0, 9, 10, 19, 20, 21, 29, 30}) {
      session.schedule("m" + offset, lane.far(offset));
    }
    assertThat(Stages.await(lane.lane().forecast(from, 10, 3))).containsExactly(2, 2, 3);
    assertThat(Stages.await(lane.lane().forecast(from, 1, 1))).containsExactly(1);
    assertThat(Stages.await(lane.lane().forecast(from - 1, 1, 3))).containsExactly(1, 1, 0);
  }

  @Test
  default void forecast_onlyWaitingMessages_counted(TestLane lane, TestSession session) {
    lane.needs(Capability.FORECAST);
    List.of("leased", "dead").forEach(id -> session.schedule(id, lane.past()));
    for (Held held : session.hold(10, TestSession.LONG)) {
      if (held.id().equals("dead")) {
        session.bury(held, "why");
      }
    }
    session.schedule("ready", lane.past(7));
    session.schedule("scheduled", lane.far());
    assertThat(Stages.await(lane.lane().forecast(lane.past(0).millis(), 5, 2)))
        .containsExactly(0, 1);
    long width = lane.far().millis() - lane.past().millis() + 1;
    assertThat(Stages.await(lane.lane().forecast(lane.past().millis(), width, 1)))
        .containsExactly(2);
  }

  @Test
  default void forecast_asManySpansAsAllowed_eachCounted(TestLane lane, TestSession session) {
    lane.needs(Capability.FORECAST);
    session.apply(
        IntStream.range(0, 500)
            .mapToObj(i -> TestSession.scheduling("m" + i, lane.far(i * 7L), IfPresent.KEEP, "p"))
            .toList());
    assertThat(Stages.await(lane.lane().forecast(lane.far().millis(), 7, 500)))
        .hasSize(500)
        .containsOnly(1);
  }

  @Test
  default void forecast_emptyLane_allZero(TestLane lane) {
    lane.needs(Capability.FORECAST);
    assertThat(Stages.await(lane.lane().forecast(0, 86_400_000, 3))).containsExactly(0, 0, 0);
  }
}
