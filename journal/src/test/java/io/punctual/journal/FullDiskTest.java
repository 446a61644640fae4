package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.PunctualException;
import io.punctual.Settled;
import io.punctual.spi.Call;
import io.punctual.spi.Lane;
import io.punctual.spi.LaneCounts;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A disk without room: schedules are refused, everything else goes on. */
final class FullDiskTest {
  private static final int MIN_FREE = 20_000;

  private final SimulatedDisk disk = new SimulatedDisk(new Random(5));

  private JournalStore open() {
    JournalOptions options =
        new JournalOptions(
            InstantSource.system(), Fsync.ALWAYS, 1 << 20, MIN_FREE, Duration.ofSeconds(60));
    try {
      return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "simulated");
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  @Test
  void schedule_diskFull_refusedWhileAcksAndCancelsGoOnUntilThereIsRoom() {
    disk.capacity(60_000);
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      int stored = 0;
      while (session.schedule("m" + stored, Session.PAST) instanceof Outcome.OfSchedule) {
        stored++;
        assertThat(stored).isLessThan(2000);
      }
      assertThat(session.schedule("m0", Session.PAST)).isInstanceOf(Outcome.Full.class);
      Reply.Claimed claimed = session.claim(10);
      assertThat(claimed.messages()).hasSize(10);
      for (Reply.Leased leased : claimed.messages()) {
        assertThat(session.apply(new Operation.Ack(leased.id(), claimed.token())))
            .containsExactly(new Outcome.OfSettlement(Settled.DONE));
      }
      assertThat(session.apply(new Operation.Cancel("m" + (stored - 1))))
          .containsExactly(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      disk.capacity(1_000_000);
      await()
          .atMost(10, TimeUnit.SECONDS)
          .until(() -> session.schedule("later", Session.PAST) instanceof Outcome.OfSchedule);
      assertThat(session.claimIds()).hasSize(stored - 10).contains("later");
    }
  }

  @Test
  void close_noRoomAtAll_endsAndSaysThatTheOutcomeIsUnknown() {
    JournalStore store = open();
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    Reply.Claimed claimed = session.claim(1);
    disk.capacity(0);
    var ack = session.send(new Call.Apply(List.of(new Operation.Ack("a", claimed.token())), null));

    store.close();

    assertThatThrownBy(() -> Session.await(ack))
        .isInstanceOf(PunctualException.class)
        .isNotInstanceOf(Lane.LaneException.class);
    disk.capacity(1_000_000);
    try (JournalStore again = open()) {
      assertThat(Session.of(again, "q").claimIds()).hasSizeLessThanOrEqualTo(1);
    }
  }

  /** A copy needs room before it gives any back; without it, it must not make things worse. */
  @Test
  void compaction_noRoomForCopies_leavesNoneBehindAndGoesOnWhenThereIs() throws IOException {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 200; i++) {
        session.schedule("m" + i, Session.FAR);
        if (i % 5 < 3) {
          session.apply(new Operation.Cancel("m" + i));
        }
      }
    }
    long before = segmentBytes();
    long files = segmentFiles();
    disk.capacity(disk.usedBytes() + disk.get("manifest").length + 500);
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      await().until(() -> disk.refusals() > 5);
      await().until(() -> segmentFiles() == files + 1);
      disk.capacity(Long.MAX_VALUE);
      await().atMost(20, TimeUnit.SECONDS).until(() -> segmentBytes() < before * 3 / 4);
      assertThat(Session.await(Session.of(store, "q").lane().counts().toCompletableFuture()))
          .isEqualTo(new LaneCounts(80, 0, 0, 0, false));
    }
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
    assertThat(Survey.of(disk).waiting()).isEqualTo(80);
  }

  private long segmentFiles() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).count();
  }

  private long segmentBytes() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).mapToLong(this::bytes).sum();
  }

  private long bytes(String name) {
    return disk.isThere(name) ? disk.get(name).length : 0;
  }

  @Test
  void write_noRoomAtAll_waitsAndSucceedsWhenThereIs() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      Reply.Claimed claimed = session.claim(1);
      disk.capacity(0);
      var ack =
          session.send(new Call.Apply(List.of(new Operation.Ack("a", claimed.token())), null));
      await().pollDelay(Duration.ofMillis(120)).until(() -> !ack.isDone());
      disk.capacity(1_000_000);
      assertThat(((Reply.Applied) Session.await(ack)).outcomes())
          .containsExactly(new Outcome.OfSettlement(Settled.DONE));
    }
    try (JournalStore store = open()) {
      assertThat(Session.of(store, "q").claimIds()).isEmpty();
    }
  }
}
