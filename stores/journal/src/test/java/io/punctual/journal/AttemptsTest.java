package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.FileNames;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Tests the attempts of messages after a process dies, the rotation of the file of attempts, and
 * claims for at-most-once delivery.
 */
final class AttemptsTest {
  /** The size in bytes beyond which the journals of this test begin a new file of attempts. */
  private static final int ROTATED_BYTES = 2048;

  private final SimulatedDisk disk = new SimulatedDisk(new Random(3));

  @Test
  void claim_processDiesAtOnce_attemptIsCounted() {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    session.claim(1);

    assertThat(attempts(disk.afterKill(), "a")).isEqualTo(2);
    store.close();
  }

  /**
   * A new file of attempts replaces the old file while the retry of a message is not safe yet. Only
   * the old file has the attempt of this message, so it must be kept until the retry is safe.
   */
  @Test
  void claim_fileBegunAnewWhileARetryIsNotSafe_attemptIsCounted() throws Exception {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    for (int i = 0; i < 200; i++) {
      session.schedule("m" + i, Session.PAST);
    }
    Session claiming = Session.of(store, "q");
    long token = session.claim(1).token();
    CountDownLatch forces = new CountDownLatch(1);
    disk.holdForcesUpUntil(forces);
    try {
      var first = session.sendNext(apply(Session.scheduling("held up", Session.FAR)));
      var retry =
          session.sendNext(apply(new Operation.Retry("a", token, Session.PAST, new byte[0])));
      String before = attemptsFile();
      for (int i = 0; i < 120; i++) {
        assertThat(claiming.claim(1).messages()).hasSize(1);
      }
      assertThat(first).isNotDone();
      assertThat(retry).isNotDone();
      assertThat(attemptsFile()).as("begun anew").isNotEqualTo(before);

      assertThat(attempts(disk.afterKill(), "a")).isEqualTo(2);
    } finally {
      forces.countDown();
      store.close();
    }
  }

  @Test
  void claim_fileBegunAnew_oldOneGoes() {
    try (JournalStore store = FailedForceHistory.open(disk)) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      for (int i = 0; i < 500; i++) {
        session.apply(new Operation.Release("a", session.claim(1).token(), null));
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> disk.list().stream().filter(FileNames::isAttempts).count() == 1);
    }
  }

  /**
   * The disk has room for some more attempts, but not for a new file with the attempts of all
   * leases.
   */
  @Test
  void claim_noRoomForANewFile_goesOnWithTheOldOneAndLeavesNoOther() throws Exception {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    for (int i = 0; i < 200; i++) {
      session.schedule("m" + i, Session.PAST);
    }
    String before = attemptsFile();
    int claims = 0;
    while (disk.get(before).length <= ROTATED_BYTES) {
      assertThat(session.claim(1).messages()).hasSize(1);
      claims++;
    }
    disk.capacity(disk.usedBytes() + 800);
    for (int i = 0; i < 4; i++) {
      assertThat(session.claim(1).messages()).hasSize(1);
      claims++;
      assertThat(disk.list().stream().filter(FileNames::isAttempts)).containsExactly(before);
    }
    disk.capacity(Long.MAX_VALUE);
    while (attemptsFile().equals(before)) {
      assertThat(session.claim(1).messages()).hasSize(1);
      claims++;
    }
    SimulatedDisk found = disk.afterKill();
    store.close();
    try (JournalStore again = FailedForceHistory.open(found)) {
      assertThat(Session.of(again, "q").claim(1000).messages())
          .filteredOn(leased -> leased.attempt() == 2)
          .hasSize(claims);
    }
  }

  @Test
  void repeat_processDiesAfterwards_isTheFirstAttempt() {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    session.schedule("same", Session.PAST);
    session.schedule("renewed", Session.PAST);
    long token = session.claim(2).token();
    session.apply(
        new Operation.Repeat("same", token, Session.PAST, null),
        new Operation.Repeat("renewed", token, Session.PAST, Content.of(new byte[] {7})));

    assertThat(attempts(disk.afterKill(), "same")).isEqualTo(1);
    assertThat(attempts(disk.afterKill(), "renewed")).isEqualTo(1);
    store.close();
  }

  @Test
  void release_untilLaterAndProcessDies_keepsItsDueTimeAndAttempts() {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    DueTime due = new DueTime(false, Session.PAST.millis() + 5);
    session.apply(new Operation.Release("a", session.claim(1).token(), due));

    try (JournalStore found = FailedForceHistory.open(disk.afterKill())) {
      Reply.Leased again = Session.of(found, "q").claim(1).messages().get(0);
      assertThat(again.attempt()).isEqualTo(1);
      assertThat(again.dueMillis()).isEqualTo(due.millis());
    }
    store.close();
  }

  @Test
  void claimAtMostOnce_processDiesAfterTheReply_messageIsGone() {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    session.schedule("taken", Session.PAST);
    Session.await(session.send(new Call.Claim(1, 3_600_000, true)));
    session.schedule("left", Session.PAST);

    try (JournalStore found = FailedForceHistory.open(disk.afterKill())) {
      assertThat(Session.of(found, "q").claimIds()).containsExactly("left");
    }
    store.close();
  }

  @Test
  void claimAtMostOnce_journalClosed_messageIsGone() {
    try (JournalStore store = FailedForceHistory.open(disk)) {
      Session session = Session.of(store, "q");
      session.schedule("taken", Session.PAST);
      Session.await(session.send(new Call.Claim(1, 3_600_000, true)));
    }
    try (JournalStore found = FailedForceHistory.open(disk)) {
      assertThat(Session.of(found, "q").claimIds()).isEmpty();
    }
  }

  @Test
  void claimAtMostOnce_diskSlow_answersOnlyWhenTheRemovalIsSafe() {
    JournalStore store = FailedForceHistory.open(disk);
    Session session = Session.of(store, "q");
    Session other = Session.of(store, "q");
    session.schedule("leased", Session.PAST);
    session.schedule("taken", Session.PAST);
    assertThat(session.claimIds()).hasSize(2);
    session.schedule("taken", Session.PAST);
    CountDownLatch forces = new CountDownLatch(1);
    disk.holdForcesUpUntil(forces);
    try {
      var reply = session.sendNext(new Call.Claim(1, 3_600_000, true));
      assertThat(other.claim(1).messages()).as("taken already").isEmpty();
      assertThat(reply).isNotDone();
      forces.countDown();
      assertThat(((Reply.Claimed) Session.await(reply)).messages()).hasSize(1);
    } finally {
      forces.countDown();
      store.close();
    }
  }

  private static Call.Apply apply(Operation operation) {
    return new Call.Apply(List.of(operation), null);
  }

  private String attemptsFile() throws Exception {
    List<String> names = disk.list().stream().filter(FileNames::isAttempts).toList();
    return names.get(names.size() - 1);
  }

  private static int attempts(SimulatedDisk found, String id) {
    try (JournalStore store = FailedForceHistory.open(found)) {
      Reply.Claimed claimed = Session.of(store, "q").claim(1000);
      return claimed.messages().stream()
          .filter(leased -> leased.id().equals(id))
          .findFirst()
          .orElseThrow()
          .attempt();
    }
  }
}
