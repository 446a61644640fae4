package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.FileNames;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a process with too many open files, in which the journal can't create files. */
@Timeout(300)
final class OpenFilesTest {
  private final SimulatedDisk simulated = new SimulatedDisk(new Random(5));
  private final RefusingDisk disk = new RefusingDisk(simulated);
  private final AtomicInteger refusals = new AtomicInteger();

  private void refuse(String prefix) {
    disk.beforeCreate(
        name -> {
          if (name.startsWith(prefix)) {
            refusals.incrementAndGet();
            throw new CreateFailedException(
                new FileSystemException(name, null, "Too many open files"));
          }
        });
  }

  /**
   * The next segment has no file, so the current segment goes on to grow: no call waits, and each
   * gets its answer although no file can be created.
   */
  @ParameterizedTest
  @ValueSource(strings = {"segment", "manifest"})
  void rollOver_fileCannotBeCreated_schedulesAreRefusedAtOnceAndOtherCallsGoOn(String prefix)
      throws Exception {
    int stored = 0;
    int acked = 0;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      refuse(prefix);
      Outcome last = session.schedule("m" + stored, Session.PAST);
      while (last instanceof Outcome.OfSchedule) {
        last = session.schedule("m" + ++stored, Session.PAST);
      }
      assertThat(last)
          .isInstanceOfSatisfying(
              Outcome.Full.class, full -> assertThat(full.why()).contains("Too many open files"));
      while (acked < stored / 2) {
        Reply.Claimed claimed = session.claim(1);
        session.apply(new Operation.Ack(claimed.messages().get(0).id(), claimed.token()));
        acked++;
      }
      assertThat(session.schedule("refused", Session.PAST)).isInstanceOf(Outcome.Full.class);

      disk.beforeCreate(name -> {});
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> session.schedule("later", Session.PAST) instanceof Outcome.OfSchedule);
      assertThat(refusals.get()).isPositive();
    }
    assertThat(JournalTool.verify(simulated).damage()).isEmpty();
    assertThat(JournalTool.stats(simulated).waiting()).isEqualTo(stored - acked + 1);
    assertThat(simulated.list()).noneMatch(name -> name.endsWith(".tmp"));
  }

  /** The current segment must not grow beyond the limit of files, which would close the journal. */
  @Test
  void rollOver_sizeOfFilesIsLimitedToo_callsWaitForTheNextSegment() throws Exception {
    simulated.mostFileBytes(32 << 10);
    CompletableFuture<Boolean> waits = new CompletableFuture<>();
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      disk.beforeCreate(
          name -> {
            if (FileNames.isSegment(name)) {
              if (isInRollOver()) {
                waits.complete(true);
              }
              throw new CreateFailedException(
                  new FileSystemException(name, null, "Too many open files"));
            }
          });
      CompletableFuture<Void> retries =
          CompletableFuture.runAsync(() -> retry(session))
              .whenComplete((done, failure) -> waits.complete(false));

      assertThat(waits.get()).isTrue();
      disk.beforeCreate(name -> {});
      retries.join();
    }
    assertThat(JournalTool.verify(simulated).damage()).isEmpty();
  }

  /** Whether the writer must have the next segment for a frame, and does not create it ahead. */
  private static boolean isInRollOver() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("rollOver")));
  }

  private static void retry(Session session) {
    for (int i = 0; i < 40; i++) {
      long token = session.claim(1).token();
      session.apply(new Operation.Retry("a", token, Session.PAST, new byte[1000]));
    }
  }

  @Test
  void close_nextSegmentCannotBeCreated_endsTheLastSegment() throws Exception {
    int stored = 0;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      refuse("segment");
      while (session.schedule("m" + stored, Session.PAST) instanceof Outcome.OfSchedule) {
        stored++;
      }
    }
    assertThat(JournalTool.stats(simulated).closed()).isTrue();
    assertThat(JournalTool.stats(simulated).waiting()).isEqualTo(stored);
  }

  /** A disk that fails to create a file may create it later. */
  @Test
  void rollOver_creationFailsWithAnErrorOfTheDisk_isTriedAgain() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      disk.beforeCreate(
          name -> {
            if (refusals.incrementAndGet() < 3) {
              throw new CreateFailedException(
                  new FileSystemException(name, null, "Input/output error"));
            }
          });
      for (int i = 0; refusals.get() < 3; i++) {
        session.schedule("m" + i, Session.PAST);
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> session.schedule("later", Session.PAST) instanceof Outcome.OfSchedule);
    }
  }

  /** The next segment was created, but the journal closes before it begins the segment. */
  @Test
  void close_nextSegmentWasNotBegun_leavesNoFileOfIt() throws Exception {
    int most = 0;
    for (int messages = 40; messages < 60; messages++) {
      SimulatedDisk other = new SimulatedDisk(new Random(5));
      try (JournalStore store = FailedForceHistory.open(other, Duration.ofDays(1))) {
        Session session = Session.of(store, "q");
        for (int i = 0; i < messages; i++) {
          session.schedule("m" + i, Session.PAST);
        }
      }
      long files = other.list().stream().filter(FileNames::isSegment).count();
      assertThat(JournalTool.stats(other).segments()).isEqualTo((int) files);
      assertThat(other.list()).noneMatch(name -> name.endsWith(".tmp"));
      most = Math.max(most, (int) files);
    }
    assertThat(most).isGreaterThan(1);
  }
}
