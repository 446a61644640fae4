package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A history on a disk with a failing force: schedules messages until a force fails, tries to
 * schedule again, restarts the journal with the power on, and then loses power.
 */
final class FailedForceHistory {
  private FailedForceHistory() {}

  static void run(Random random, SimulatedDisk disk) {
    List<String> confirmed = new ArrayList<>();
    JournalStore store = open(disk);
    disk.failForceAfter(random.nextInt(12));
    Session session = Session.of(store, "q");
    int last = 0;
    try {
      while (true) {
        String id = "m" + last++;
        session.schedule(id, Session.PAST);
        confirmed.add(id);
      }
    } catch (PunctualException e) {
      assertThat(e).isNotInstanceOf(Partition.PartitionException.class);
      assertThat(e).isNotInstanceOf(Partition.NotSentException.class);
    }
    assertThatThrownBy(() -> Session.of(store, "q").schedule("later", Session.PAST))
        .isInstanceOf(Partition.PartitionException.class)
        .hasMessageContaining("closed for good");
    store.close();
    expect(disk.restarted(), confirmed);
    expect(disk.afterPowerLoss(), confirmed);
  }

  private static void expect(SimulatedDisk disk, List<String> confirmed) {
    JournalStore store = open(disk);
    try {
      assertThat(Session.of(store, "q").claimIds()).containsAll(confirmed);
    } finally {
      store.close();
    }
  }

  static JournalStore open(Disk disk) {
    return open(disk, Duration.ofSeconds(1));
  }

  static JournalStore open(Disk disk, Duration compactionPause) {
    return open(disk, Fsync.ALWAYS, compactionPause);
  }

  static JournalStore open(Disk disk, Fsync fsync) {
    return open(disk, fsync, Duration.ofSeconds(1));
  }

  static JournalStore openOrThrow(Disk disk) throws IOException {
    return openOrThrow(disk, Fsync.ALWAYS, Duration.ZERO);
  }

  private static JournalStore openOrThrow(Disk disk, Fsync fsync, Duration compactionPause)
      throws IOException {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), fsync, 4096, 0, compactionPause);
    return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "simulated");
  }

  private static JournalStore open(Disk disk, Fsync fsync, Duration compactionPause) {
    try {
      return openOrThrow(disk, fsync, compactionPause);
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }
}
