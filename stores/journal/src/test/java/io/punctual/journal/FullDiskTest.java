package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.PunctualException;
import io.punctual.SettleOutcome;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests a full disk: the journal refuses schedules, and claims, settlements and cancels continue.
 */
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
            .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
      }
      assertThat(session.apply(new Operation.Cancel("m" + (stored - 1))))
          .containsExactly(new Outcome.OfCancel(CancelOutcome.CANCELLED));
      disk.capacity(1_000_000);
      await()
          .atMost(1, TimeUnit.MINUTES)
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
        .isNotInstanceOf(Partition.PartitionException.class);
    disk.capacity(1_000_000);
    try (JournalStore again = open()) {
      assertThat(Session.of(again, "q").claimIds()).hasSizeLessThanOrEqualTo(1);
    }
  }

  /**
   * A compaction needs space for its copy before it frees space. Without that space it must not
   * leave a part of a copy on the disk.
   */
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
    disk.quota(disk.usedBytes() + disk.get("manifest").length + 500);
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      await().atMost(Duration.ofMinutes(1)).until(() -> disk.refusals() > 5);
      await().atMost(Duration.ofMinutes(1)).until(() -> segmentFiles() == files + 1);
      disk.quota(Long.MAX_VALUE);
      await().atMost(1, TimeUnit.MINUTES).until(() -> segmentBytes() < before * 3 / 4);
      assertThat(Session.await(Session.of(store, "q").partition().counts().toCompletableFuture()))
          .isEqualTo(new PartitionCounts(80, 0, 0, 0, 0, false));
    }
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(80);
  }

  /**
   * Neither the reported free space nor the text of the failure shows that the disk is full: space
   * may have been freed since the failure, quotas are not included, and systems translate texts.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "No space left on device",
        "segment: Disk quota exceeded",
        "Der zugewiesene Plattenplatz (Quota) ist überschritten",
        "デバイスに空き領域がありません"
      })
  void write_noRoomThoughTheDiskSaysThereIs_isTriedAgain(String message) throws IOException {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      Reply.Claimed claimed = session.claim(1);
      disk.refuseWrites(2, message);
      assertThat(session.apply(new Operation.Ack("a", claimed.token())))
          .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
      assertThat(session.schedule("b", Session.PAST)).isInstanceOf(Outcome.OfSchedule.class);
    }
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(1);
  }

  /**
   * A write that failed for a reason other than a full disk must not be repeated: the journal
   * fails.
   */
  @Test
  void write_otherErrorOnANearlyFullDisk_isNotTriedAgain() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      Reply.Claimed claimed = session.claim(1);
      disk.capacity(disk.usedBytes() + MIN_FREE / 2);
      disk.refuseWrites(1, "Input/output error");
      assertThatThrownBy(() -> session.apply(new Operation.Ack("a", claimed.token())))
          .hasMessageContaining("closed for good")
          .hasMessageContaining("Input/output error");
      assertThat(disk.refusals()).isEqualTo(1);
    }
  }

  /**
   * The operating system translates the text of the failure into the language of the process. The
   * journal must recognise a full disk in spite of that.
   */
  @Test
  void write_noRoomInAnotherLanguage_isTriedAgain() {
    try (JournalStore store = open()) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      Reply.Claimed claimed = session.claim(1);
      disk.capacity(0);
      disk.refuseWrites(Integer.MAX_VALUE, "Auf dem Gerät ist kein Speicherplatz mehr verfügbar");
      var ack =
          session.send(new Call.Apply(List.of(new Operation.Ack("a", claimed.token())), null));
      await().atMost(Duration.ofMinutes(1)).until(() -> disk.refusals() > 1);
      disk.refuseWrites(0, "");
      disk.capacity(1_000_000);
      assertThat(((Reply.Applied) Session.await(ack)).outcomes())
          .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
    }
  }

  @Test
  void rollOver_noRoomForTheNextSegment_isTriedAgain() throws IOException {
    int stored = 0;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      long files = segmentFiles();
      while (segmentFiles() == files) {
        disk.refuseWrites(stored % 3, "No space left on device");
        session.schedule("m" + stored++, Session.FAR);
      }
    }
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(stored);
  }

  /** Fills several segments, and cancels the given percentage of their messages. */
  private void fill(int percentCancelled) {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 400; i++) {
        session.schedule("m" + i, Session.FAR);
        if (i % 100 < percentCancelled) {
          session.apply(new Operation.Cancel("m" + i));
        }
      }
    }
  }

  private OpenJournal openForCompaction(long minFree, long segmentBytes) throws IOException {
    return OpenJournal.open(
        new Folder(disk, () -> {}),
        new JournalOptions(
            InstantSource.system(), Fsync.ALWAYS, segmentBytes, minFree, Duration.ZERO));
  }

  @Test
  void compaction_roomInTheReserveAlone_leavesItToSettlements() throws Exception {
    fill(60);
    OpenJournal journal = openForCompaction(MIN_FREE, 4096);
    long usable = MIN_FREE + 500;
    disk.capacity(disk.usedBytes() + usable);
    int segments = (int) segmentFiles();
    long unused = disk.leastUsableBytes();
    Compaction compaction = journal.compaction(bytes -> {});
    while (compaction.run()) {}
    journal.hints(bytes -> {}).write();
    assertThat(disk.leastUsableBytes()).isGreaterThan(usable * 14 / 16);
    assertThat(disk.refusals()).isZero();
    disk.capacity(Long.MAX_VALUE);
    while (compaction.run()) {}
    assertThat(segmentFiles()).isLessThan(segments);
    journal.close();
  }

  /**
   * The free space is less than {@code minFreeBytes}, but compaction may use a part of it.
   * Otherwise a single waiting message in each segment would keep the disk full.
   */
  @Test
  void compaction_hardlyAnythingNeededAndRoomInTheReserveAlone_makesRoom() throws Exception {
    fill(99);
    OpenJournal journal = openForCompaction(100_000, 4096);
    disk.capacity(disk.usedBytes() + 50_000);
    long before = segmentBytes();
    Compaction compaction = journal.compaction(bytes -> {});
    while (compaction.run()) {}
    assertThat(segmentBytes()).isLessThan(before / 2);
    journal.close();
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(4);
  }

  @Test
  void open_noRoomAfterAKill_endsWithAnErrorAndOpensOnceThereIs() throws Exception {
    JournalStore killed = FailedForceHistory.open(disk, Duration.ofDays(1));
    Session session = Session.of(killed, "q");
    for (int i = 0; i < 20; i++) {
      session.schedule("m" + i, Session.FAR);
    }
    SimulatedDisk found = disk.afterKill();
    killed.close();
    List<String> files = found.list();
    for (int room = 0; room < 4000; room += 100) {
      found.capacity(found.usedBytes() + room);
      try {
        FailedForceHistory.openOrThrow(found).close();
        break;
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("No space left on device");
        assertThat(found.list()).hasSizeLessThanOrEqualTo(files.size() + 2);
      }
    }
    found.capacity(Long.MAX_VALUE);
    FailedForceHistory.openOrThrow(found).close();
    assertThat(JournalTool.stats(found).waiting()).isEqualTo(20);
    assertThat(JournalTool.verify(found).damage()).isEmpty();
  }

  @Test
  void open_interruptedWhileTheDiskIsStuck_endsWithAnErrorOnceItIsNot() throws Exception {
    FailedForceHistory.openOrThrow(disk).close();
    CountDownLatch stuck = new CountDownLatch(1);
    disk.holdForcesUpUntil(stuck);
    AtomicReference<Object> outcome = new AtomicReference<>();
    Thread opener =
        new Thread(
            () -> {
              try {
                FailedForceHistory.openOrThrow(disk).close();
                outcome.set("opened");
              } catch (IOException e) {
                outcome.set(e.getMessage() + Thread.currentThread().isInterrupted());
              }
            });
    opener.start();
    opener.interrupt();
    stuck.countDown();
    opener.join();
    assertThat(outcome.get()).isEqualTo("the thread was interruptedtrue");
    try (JournalStore store = FailedForceHistory.openOrThrow(disk)) {
      assertThat(Session.of(store, "q").claimIds()).isEmpty();
    }
  }

  @Test
  void open_interrupted_endsAndCanBeTriedAgain(@TempDir Path folder) {
    JournalStore.builder(folder).open().close();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> JournalStore.builder(folder).open())
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("the thread was interrupted");
    assertThat(Thread.interrupted()).isTrue();
    JournalStore.builder(folder).open().close();
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
      await()
          .atMost(Duration.ofMinutes(1))
          .pollDelay(Duration.ofMillis(120))
          .until(() -> !ack.isDone());
      disk.capacity(1_000_000);
      assertThat(((Reply.Applied) Session.await(ack)).outcomes())
          .containsExactly(new Outcome.OfSettlement(SettleOutcome.DONE));
    }
    try (JournalStore store = open()) {
      assertThat(Session.of(store, "q").claimIds()).isEmpty();
    }
  }
}
