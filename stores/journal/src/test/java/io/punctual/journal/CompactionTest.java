package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.journal.upkeep.Compactor;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compaction frees the space of unneeded records, and loses no needed record. */
final class CompactionTest {
  private static final int SEGMENT = 4096;

  private final Random random = new Random(11);
  private SimulatedDisk disk = new SimulatedDisk(random);

  private JournalStore open() {
    return new JournalStore(open(Duration.ofMillis(1)), "simulated");
  }

  private OpenJournal open(Duration compactionPause) {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), Fsync.ALWAYS, SEGMENT, 0, compactionPause);
    try {
      return OpenJournal.open(new Folder(disk, () -> {}), options);
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  private long segmentBytes() {
    try {
      return disk.list().stream()
          .filter(FileNames::isSegment)
          .mapToLong(name -> disk.get(name).length)
          .sum();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void cancel_nineOfTen_roomComesBack() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 600; i++) {
        session.schedule("m" + i, Session.FAR);
        if (i % 10 != 0) {
          session.apply(new Operation.Cancel("m" + i));
        }
      }
      long liveBytes = 60 * 80;
      await()
          .atMost(1, TimeUnit.MINUTES)
          .until(() -> segmentBytes() < 2.5 * liveBytes + 3 * SEGMENT);
      assertThat(ids(session.partition(), State.SCHEDULED)).hasSize(60);
    }
    try (JournalStore store = open()) {
      assertThat(ids(Session.of(store, "q").partition(), State.SCHEDULED)).hasSize(60);
    }
  }

  private static void scheduleAndCancelMost(JournalStore store) {
    Session session = Session.of(store, "q");
    for (int i = 0; i < 200; i++) {
      session.schedule("m" + i, Session.FAR);
      if (i % 10 != 0) {
        session.apply(new Operation.Cancel("m" + i));
      }
    }
  }

  private Set<String> segments() throws IOException {
    Set<String> names = new TreeSet<>(disk.list());
    names.removeIf(name -> !FileNames.isSegment(name));
    return names;
  }

  @Test
  void pace_aCompaction_isToldOfEveryByteOfItsCopies() throws Exception {
    OpenJournal journal = open(Duration.ZERO);
    try (JournalStore store = new JournalStore(journal, "simulated")) {
      scheduleAndCancelMost(store);
      Set<String> before = segments();
      List<Integer> told = new ArrayList<>();
      assertThat(journal.compaction(told::add).run()).isTrue();
      Set<String> copies = segments();
      copies.removeAll(before);
      assertThat(copies).hasSize(1);
      int length = disk.get(copies.iterator().next()).length;
      assertThat(told.stream().mapToInt(bytes -> bytes).sum())
          .isEqualTo(length - SegmentHeader.LENGTH)
          .isPositive();
    }
  }

  @Test
  void pace_theJournalCloses_theCopyGoesAndNothingElse() throws Exception {
    OpenJournal journal = open(Duration.ZERO);
    try (JournalStore store = new JournalStore(journal, "simulated")) {
      scheduleAndCancelMost(store);
      Set<String> before = segments();
      Compaction compaction =
          journal.compaction(
              bytes -> {
                throw new InterruptedException("closing");
              });
      assertThatThrownBy(compaction::run).isInstanceOf(InterruptedException.class);
      assertThat(segments()).isEqualTo(before);
      assertThat(ids(Session.of(store, "q").partition(), State.SCHEDULED)).hasSize(20);
    }
  }

  @Test
  void pauseNanos_isTheTimeOfTheWriteAtThePace() {
    assertThat(Stream.of(32 << 20, 1 << 20, 0, Integer.MAX_VALUE).map(Compactor::pauseNanos))
        .containsExactly(1_000_000_000L, 31_250_000L, 0L, 63_999_999_970L);
  }

  @Test
  void drained_everySegmentButTheLastGoes() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 300; i++) {
        session.schedule("m" + i, Session.PAST);
      }
      Reply.Claimed claimed = session.claim(300);
      for (Reply.Leased leased : claimed.messages()) {
        session.apply(new Operation.Ack(leased.id(), claimed.token()));
      }
      await().atMost(1, TimeUnit.MINUTES).until(() -> segmentBytes() < 4 * SEGMENT);
    }
  }

  /** If forcing the folder to disk fails, no file that recovery needs may be deleted. */
  @Test
  void folderForceFails_whateverItWasFor_opensWithAllThatWasConfirmed() {
    for (int forces = 0; forces < 40; forces++) {
      disk = new SimulatedDisk(random);
      JournalStore store = open();
      Session session = Session.of(store, "q");
      disk.failFolderForceAfter(forces);
      Set<String> confirmed = new TreeSet<>();
      Set<String> unknown = new TreeSet<>();
      try {
        for (int i = 0; i < 400; i++) {
          String id = "m" + i;
          unknown.add(id);
          session.schedule(id, Session.FAR);
          confirmed.add(id);
          unknown.remove(id);
          if (i % 10 != 0) {
            unknown.add(id);
            confirmed.remove(id);
            session.apply(new Operation.Cancel(id));
            unknown.remove(id);
          }
        }
      } catch (PunctualException e) {
        assertThat(e).hasMessageContaining("could not be forced");
      }
      store.close();
      for (SimulatedDisk found : List.of(disk.afterKill(), disk.afterPowerLoss())) {
        disk = found;
        try (JournalStore again = open()) {
          Set<String> ids = ids(Session.of(again, "q").partition(), State.SCHEDULED);
          assertThat(ids).as("after %d forces", forces).containsAll(confirmed);
          ids.removeAll(confirmed);
          assertThat(unknown).as("after %d forces", forces).containsAll(ids);
        }
      }
    }
  }

  @Test
  void compaction_oneSegmentIsDamaged_theOthersGiveTheirRoomBack() throws IOException {
    int messages = 600;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < messages; i++) {
        session.schedule("m" + i, Session.FAR);
      }
    }
    String damaged = disk.list().stream().filter(FileNames::isSegment).sorted().toList().get(3);
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      byte[] bytes = disk.get(damaged);
      bytes[2000] ^= 1;
      disk.overwrite(damaged, bytes);
      for (int i = 0; i < messages; i++) {
        if (i % 10 != 0) {
          try {
            session.apply(new Operation.Cancel("m" + i));
          } catch (Partition.PartitionException e) {
            assertThat(e).hasMessageContaining(damaged);
          }
        }
      }
      await().atMost(1, TimeUnit.MINUTES).until(() -> segmentBytes() < 8 * SEGMENT);
      assertThat(disk.list()).contains(damaged);
    }
  }

  /**
   * Random changes of many kinds during compaction. After every 150 changes the process is killed,
   * or closes the journal.
   */
  @Test
  void changes_atRandomWithKills_nothingLostAndNothingRisen() {
    Set<String> scheduled = new TreeSet<>();
    Set<String> dead = new TreeSet<>();
    for (int life = 0; life < 12; life++) {
      JournalStore store = open();
      Session session = Session.of(store, "q");
      assertThat(ids(session.partition(), State.SCHEDULED)).isEqualTo(scheduled);
      assertThat(ids(session.partition(), State.DEAD)).isEqualTo(dead);
      for (int step = 0; step < 150; step++) {
        step(session, scheduled, dead);
      }
      SimulatedDisk killed = disk.afterKill();
      store.close();
      disk = random.nextBoolean() ? killed : disk;
    }
  }

  private void step(Session session, Set<String> scheduled, Set<String> dead) {
    String id = "m" + random.nextInt(60);
    switch (random.nextInt(5)) {
      case 0, 1 -> {
        session.schedule(id, Session.FAR);
        scheduled.add(id);
        dead.remove(id);
      }
      case 2 -> {
        session.apply(new Operation.Cancel(id), new Operation.DeleteDead(id));
        scheduled.remove(id);
        dead.remove(id);
      }
      case 3 -> {
        session.schedule(id, Session.PAST);
        dead.remove(id);
        Reply.Claimed claimed = session.claim(1);
        assertThat(claimed.messages()).extracting(Reply.Leased::id).containsExactly(id);
        scheduled.remove(id);
        settle(session, id, claimed.token(), scheduled, dead);
      }
      default ->
          session.apply(
              new Operation.Reschedule(id, Session.FAR),
              new Operation.RunNow("none"),
              new Operation.Reschedule(id, Session.FAR));
    }
  }

  private void settle(
      Session session, String id, long token, Set<String> scheduled, Set<String> dead) {
    switch (random.nextInt(3)) {
      case 0 -> session.apply(new Operation.Ack(id, token));
      case 1 -> {
        session.apply(new Operation.Retry(id, token, Session.FAR, new byte[40]));
        scheduled.add(id);
      }
      default -> {
        session.apply(new Operation.Bury(id, token, new byte[40]));
        dead.add(id);
      }
    }
  }

  private static Set<String> ids(Partition partition, State state) {
    List<Entry> all = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = Session.await(partition.browse(state, cursor, 100).toCompletableFuture());
      all.addAll(page.entries());
      cursor = page.next();
    } while (cursor != null);
    Set<String> ids = new TreeSet<>();
    all.forEach(entry -> ids.add(entry.id()));
    return ids;
  }
}
