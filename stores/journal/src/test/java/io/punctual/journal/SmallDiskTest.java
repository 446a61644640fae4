package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests disks and limits of files that are smaller than a segment. */
@Timeout(300)
final class SmallDiskTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(5));

  private JournalStore open(int minFree) throws IOException {
    return open(disk, minFree);
  }

  private static JournalStore open(Disk opened, int minFree) throws IOException {
    JournalOptions options =
        new JournalOptions(
            InstantSource.system(), Fsync.ALWAYS, 1 << 20, minFree, Duration.ofMillis(1));
    return new JournalStore(OpenJournal.open(new Folder(opened, () -> {}), options), "simulated");
  }

  /** The system limits the size of files, so segments must end before they reach the limit. */
  @Test
  void schedule_filesAreLimited_segmentsEndEarlier() throws IOException {
    disk.mostFileBytes(200_000);
    try (JournalStore store = open(0)) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 3000; i++) {
        assertThat(session.schedule("m" + i + "x".repeat(100), Session.FAR))
            .isInstanceOf(Outcome.OfSchedule.class);
      }
    }
    assertThat(disk.refusals()).isZero();
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(3000);
  }

  /**
   * On a volume that is smaller than the reserve and a segment, the open segment can't reach its
   * size. Once its messages are handled, its room must be there again.
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 10})
  void schedule_volumeIsSmallerThanASegment_isAcceptedAgainOnceMessagesAreHandled(int waiting)
      throws IOException {
    disk.capacity(600_000);
    try (JournalStore store = open(300_000)) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < waiting; i++) {
        session.schedule("waiting" + i, Session.FAR);
      }
      for (int i = 0; i < 3000; i++) {
        String id = "m" + i + "x".repeat(400);
        if (session.schedule(id, Session.PAST) instanceof Outcome.Full) {
          await()
              .atMost(Duration.ofMinutes(1))
              .until(() -> session.schedule(id, Session.PAST) instanceof Outcome.OfSchedule);
        }
        Reply.Claimed claimed = session.claim(1);
        session.apply(new Operation.Ack(id, claimed.token()));
      }
      assertThat(disk.refusals()).isZero();
    }
    assertThat(JournalTool.stats(disk).waiting()).isEqualTo(waiting);
  }

  /** The open segment should end early, but the process has too many open files. */
  @Test
  void ack_openSegmentCannotEndEarly_goesOn() throws IOException {
    disk.capacity(600_000);
    RefusingDisk refusing = new RefusingDisk(disk);
    try (JournalStore store = open(refusing, 300_000)) {
      Session session = Session.of(store, "q");
      int stored = 0;
      while (session.schedule("m" + stored + "x".repeat(400), Session.PAST)
          instanceof Outcome.OfSchedule) {
        stored++;
      }
      AtomicInteger refusals = new AtomicInteger();
      refusing.beforeCreate(
          name -> {
            refusals.incrementAndGet();
            throw new CreateFailedException(
                new FileSystemException(name, null, "Too many open files"));
          });
      int left = stored;
      while (left > 0 && (left > stored / 10 || refusals.get() == 0)) {
        Reply.Claimed claimed = session.claim(1);
        session.apply(new Operation.Ack(claimed.messages().get(0).id(), claimed.token()));
        left--;
      }
      refusing.beforeCreate(name -> {});
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> session.schedule("later", Session.PAST) instanceof Outcome.OfSchedule);
      assertThat(refusals.get()).isPositive();
    }
  }
}
