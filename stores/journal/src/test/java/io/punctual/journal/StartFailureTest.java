package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PunctualException;
import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.spi.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a start, after a kill and with segments to merge, in which one operation of the disk fails,
 * whichever it is. The start fails with the cause and gives the folder up, or it gives a journal
 * that works. No message is lost.
 */
@Timeout(300)
final class StartFailureTest {
  private static final String SEEDED = "seeded failure";

  /** The disk with which each start begins. */
  private final SimulatedDisk found = leftBehind();

  private enum Failing {
    READ,
    READ_THAT_MAY_PASS,
    WRITE,
    WRITE_ON_A_FULL_DISK,
    CREATE,
    FORCE,
    FORCE_OF_THE_FOLDER
  }

  private SimulatedDisk leftBehind() {
    SimulatedDisk disk = new SimulatedDisk(new Random(5));
    JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1));
    Session session = Session.of(store, "q");
    for (int i = 0; i < 400; i++) {
      session.schedule("m" + i + "x".repeat(400), Session.PAST);
    }
    session.claim(5);
    SimulatedDisk killed = disk.afterKill();
    store.close();
    return killed;
  }

  private void fail(Failing failing, int after, SimulatedDisk simulated, RefusingDisk disk) {
    AtomicInteger left = new AtomicInteger(after);
    RefusingDisk.Refusal once =
        () -> {
          if (left.getAndDecrement() == 0) {
            throw switch (failing) {
              case READ_THAT_MAY_PASS -> new OpenFailedException(new IOException(SEEDED));
              case WRITE, READ -> new IOException("Input/output error: " + SEEDED);
              default -> new IOException("No space left on device: " + SEEDED);
            };
          }
        };
    switch (failing) {
      case READ, READ_THAT_MAY_PASS -> disk.beforeRead(once);
      case WRITE, WRITE_ON_A_FULL_DISK -> disk.beforeWrite(once);
      case CREATE ->
          disk.beforeCreate(
              name -> {
                if (left.getAndDecrement() == 0) {
                  throw new CreateFailedException(new IOException(SEEDED));
                }
              });
      case FORCE -> simulated.failForceAfter(after);
      case FORCE_OF_THE_FOLDER -> simulated.failFolderForceAfter(after);
    }
  }

  private static JournalStore open(Disk disk, Fsync fsync, AtomicBoolean givenUp)
      throws IOException {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), fsync, 1 << 20, 0, Duration.ZERO);
    Folder folder = new Folder(disk, () -> givenUp.set(true));
    return new JournalStore(OpenJournal.open(folder, options), "simulated");
  }

  private static Set<String> ids(JournalStore store) {
    Set<String> ids = new TreeSet<>();
    Session session = Session.of(store, "q");
    int before = -1;
    while (ids.size() > before) {
      before = ids.size();
      ids.addAll(session.claimIds());
    }
    return ids;
  }

  @ParameterizedTest
  @EnumSource
  @Tag("extended")
  void start_anyOperationFails_failsWithTheCauseOrWorks(Failing failing) throws Exception {
    SoftAssertions all = new SoftAssertions();
    int failed = 0;
    for (int after = 0; after < 40; after += 1 + after / 4) {
      for (Fsync fsync : new Fsync[] {Fsync.ALWAYS, Fsync.OS}) {
        SimulatedDisk simulated = found.afterKill();
        RefusingDisk disk = new RefusingDisk(simulated);
        AtomicBoolean givenUp = new AtomicBoolean();
        fail(failing, after, simulated, disk);
        String place = failing + " " + after + " " + fsync;
        try (JournalStore store = open(disk, fsync, givenUp)) {
          if (failing != Failing.FORCE && failing != Failing.FORCE_OF_THE_FOLDER) {
            all.assertThat(Session.of(store, "q").schedule("new", Session.FAR))
                .as(place)
                .isInstanceOf(Outcome.OfSchedule.class);
          }
        } catch (IOException | PunctualException e) {
          failed++;
          all.assertThat(e).as(place).hasStackTraceContaining(SEEDED);
        } catch (RuntimeException e) {
          failed++;
          all.fail(place, e);
        }
        all.assertThat(givenUp).as(place).isTrue();
        try (JournalStore store = open(simulated.restarted(), Fsync.ALWAYS, new AtomicBoolean())) {
          all.assertThat(ids(store)).as(place).hasSize(400);
        }
        all.assertThat(simulated.list()).as(place).noneMatch(name -> name.endsWith(".tmp"));
        all.assertThat(simulated.list()).as(place).filteredOn(FileNames::isAttempts).isEmpty();
      }
    }
    all.assertAll();
    assertThat(failed).isPositive();
  }
}
