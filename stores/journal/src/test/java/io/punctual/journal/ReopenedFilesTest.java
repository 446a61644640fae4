package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.OpenFailedException;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a process with too many open files, in which ended segments can't be opened again to read
 * them. Their messages are intact, so none may count as unreadable.
 */
@Timeout(300)
final class ReopenedFilesTest {
  private static final String CAUSE = "Too many open files";

  private final SimulatedDisk simulated = new SimulatedDisk(new Random(5));
  private final RefusingDisk disk = new RefusingDisk(simulated);
  private final AtomicInteger refusals = new AtomicInteger();

  private void refuse() {
    disk.beforeRead(
        () -> {
          refusals.incrementAndGet();
          throw new OpenFailedException(new FileSystemException("segment", null, CAUSE));
        });
  }

  private void heal() {
    disk.beforeRead(() -> {});
  }

  private int fill(Session session, int segments) throws IOException {
    int messages = 0;
    while (segments() < segments) {
      session.schedule("m" + messages++, Session.PAST);
    }
    return messages;
  }

  private long segments() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).count();
  }

  private static Entry find(Session session, String id) {
    return Session.await(session.partition().find(id).toCompletableFuture()).orElseThrow();
  }

  @Test
  void calls_filesCannotBeOpened_areRefusedWithTheCauseAndLaterWork() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      int messages = fill(session, 4);
      refuse();

      assertThatThrownBy(() -> Session.of(store, "q").claim(1))
          .isInstanceOf(Partition.PartitionException.class)
          .hasMessageContaining(CAUSE);
      assertThatThrownBy(() -> find(session, "m0"))
          .isInstanceOf(Partition.RefusedForNowException.class)
          .hasMessageContaining(CAUSE);
      assertThat(session.schedule("m0", Session.PAST))
          .isInstanceOfSatisfying(
              Outcome.Full.class, full -> assertThat(full.why()).contains(CAUSE));
      assertThat(session.apply(new Operation.Cancel("m0")).get(0))
          .isInstanceOfSatisfying(
              Outcome.Failed.class, failed -> assertThat(failed.why()).contains(CAUSE));
      assertThat(session.schedule("new", Session.FAR)).isInstanceOf(Outcome.OfSchedule.class);

      heal();
      assertThat(find(session, "m0").content()).isNotNull();
      Reply.Claimed claimed = session.claim(1000);
      assertThat(claimed.unreadable()).isEmpty();
      assertThat(claimed.messages()).hasSize(messages);
      assertThat(claimed.messages()).allMatch(message -> message.attempt() == 1);
    }
  }

  /**
   * The history of the second attempt is in an ended segment. The attempt must count all the same.
   */
  @Test
  void close_filesCannotBeOpened_nextStartCountsTheAttempts() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session session = Session.of(store, "q");
      session.schedule("a", Session.PAST);
      Reply.Claimed first = session.claim(1);
      session.apply(new Operation.Retry("a", first.token(), Session.PAST, new byte[] {1}));
      Reply.Claimed second = session.claim(1);
      assertThat(second.messages().get(0).attempt()).isEqualTo(2);
      fill(session, 3);
      refuse();
    }
    heal();
    assertThat(refusals.get()).isPositive();
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      assertThat(find(Session.of(store, "q"), "a").attempts()).isEqualTo(2);
    }
  }

  @Test
  void compaction_filesCannotBeOpened_isTriedAgain() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      Session session = Session.of(store, "q");
      fill(session, 6);
      Reply.Claimed claimed = session.claim(1000);
      refuse();
      for (Reply.Leased leased : claimed.messages()) {
        session.apply(new Operation.Ack(leased.id(), claimed.token()));
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> refusals.get() > 3);
      heal();
      await().atMost(Duration.ofMinutes(1)).until(() -> segments() <= 2);
    }
  }

  @Test
  void tools_filesCannotBeOpened_reportNoDamage() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      fill(Session.of(store, "q"), 3);
    }
    refuse();
    assertThatThrownBy(() -> JournalTool.verify(disk)).hasStackTraceContaining(CAUSE);
    assertThatThrownBy(() -> JournalTool.repair(disk, plan -> true)).hasStackTraceContaining(CAUSE);
    assertThatThrownBy(() -> FailedForceHistory.open(disk))
        .isInstanceOf(PunctualException.class)
        .hasStackTraceContaining(CAUSE);
    heal();
    assertThat(JournalTool.verify(disk).damage()).isEmpty();
    assertThat(disk.list()).noneMatch(name -> name.endsWith(".damaged"));
  }

  /** A file that the owner deletes while the snapshot is read makes the snapshot begin again. */
  @Test
  void snapshot_fileCannotBeOpenedOnce_isTakenAgain() throws Exception {
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      fill(Session.of(store, "q"), 3);
      AtomicInteger left = new AtomicInteger(2);
      disk.beforeRead(
          () -> {
            if (left.decrementAndGet() == 0) {
              throw new OpenFailedException(new IOException("the file was deleted"));
            }
          });
      assertThat(JournalTool.stats(disk).waiting()).isPositive();
      assertThat(left.get()).isNegative();
    }
  }
}
