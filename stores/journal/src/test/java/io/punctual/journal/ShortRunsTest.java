package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.PartitionCounts;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests runs that end before the compactor does anything, such as those of a command: the number of
 * files must stay small.
 */
@Timeout(300)
final class ShortRunsTest {
  private static final int RUNS = 300;
  private static final int MOST_SEGMENTS = 40;

  private SimulatedDisk disk = new SimulatedDisk(new Random(5));

  private enum End {
    CLOSED,
    KILLED,
    ANY
  }

  private void run(int number, End end) {
    JournalStore store = FailedForceHistory.open(disk, Duration.ZERO);
    Session.of(store, "q").schedule("m" + number, Session.FAR);
    boolean isKilled = end == End.KILLED || (end == End.ANY && number % 3 == 0);
    SimulatedDisk found = isKilled ? disk.afterKill() : disk;
    store.close();
    disk = found;
  }

  private static JournalOptions options(long segmentBytes) {
    return new JournalOptions(InstantSource.system(), Fsync.ALWAYS, segmentBytes, 0, Duration.ZERO);
  }

  private long segments() throws Exception {
    return disk.list().stream().filter(FileNames::isSegment).count();
  }

  private void expectMessages(int count) throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ZERO)) {
      assertThat(Session.await(Session.of(store, "q").partition().counts().toCompletableFuture()))
          .isEqualTo(new PartitionCounts(count, 0, 0, 0, 0, false));
    }
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void runs_eachSchedulesAMessage_filesStayFew(End end) throws Exception {
    for (int i = 0; i < RUNS; i++) {
      run(i, end);
      assertThat(segments()).isLessThan(MOST_SEGMENTS);
    }
    expectMessages(RUNS);
  }

  @Test
  void start_manySmallSegmentsAreThere_mergesThem() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; segments() < 200; i++) {
        session.schedule("m" + i + "x".repeat(500), Session.FAR);
      }
    }
    int waiting = (int) JournalTool.stats(disk).waiting();

    OpenJournal.open(new Folder(disk, () -> {}), options(1 << 20)).close();

    assertThat(segments()).isLessThan(MOST_SEGMENTS);
    expectMessages(waiting);
  }

  /** The interrupt of a thread closes the files that it reads, so the journal can't go on. */
  @Test
  void start_interruptedInTheMerge_isRefused(@TempDir Path path) throws Exception {
    OpenJournal filled = OpenJournal.open(Folder.take(path, false), options(4096));
    try (JournalStore store = new JournalStore(filled, "test:")) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 300; i++) {
        session.schedule("m" + i + "x".repeat(500), Session.FAR);
      }
    }
    Folder folder = Folder.take(path, false);
    RefusingDisk interrupting = new RefusingDisk(folder.disk());
    Thread opener = Thread.currentThread();
    interrupting.beforeCreate(
        name -> {
          if (FileNames.isSegment(name) && Thread.currentThread() == opener) {
            opener.interrupt();
          }
        });

    assertThatThrownBy(
            () -> OpenJournal.open(new Folder(interrupting, folder.ownership()), options(1 << 20)))
        .isInstanceOf(InterruptedIOException.class);

    assertThat(Thread.interrupted()).isTrue();
    OpenJournal.open(Folder.take(path, false), options(1 << 20)).close();
  }

  /** The disk has no room for a merged segment. The journal must open all the same. */
  @Test
  void start_segmentsCannotBeMerged_opensAllTheSame() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; segments() < 40; i++) {
        session.schedule("m" + i + "x".repeat(500), Session.FAR);
      }
    }
    int waiting = (int) JournalTool.stats(disk).waiting();
    disk.quota(disk.usedBytes() + 8000);

    expectMessages(waiting);
  }
}
