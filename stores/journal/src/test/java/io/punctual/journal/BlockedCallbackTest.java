package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests callbacks of callers that block the thread for replies: the journal itself must go on. */
@Timeout(300)
final class BlockedCallbackTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(3));
  private final AtomicBoolean givenUp = new AtomicBoolean();
  private final CountDownLatch release = new CountDownLatch(1);

  private JournalStore open(Duration compactionPause) throws IOException {
    JournalOptions options =
        new JournalOptions(
            InstantSource.system(), Fsync.ALWAYS, 4096, 0, compactionPause, Duration.ofMinutes(4));
    Folder folder = new Folder(disk, () -> givenUp.set(true));
    return new JournalStore(OpenJournal.open(folder, options), "simulated");
  }

  private void block() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CompletableFuture<Reply> schedule(Session session, String id) {
    return session.send(new Call.Apply(List.of(Session.scheduling(id, Session.FAR)), null));
  }

  /**
   * The callback blocks only after the close has begun, for example because it waits for a lock of
   * the thread that closes.
   */
  @Test
  void close_callbackBlocksLater_closesAllTheSame() throws Exception {
    JournalStore store = open(Duration.ZERO);
    Session session = Session.of(store, "q");
    CountDownLatch answers = new CountDownLatch(1);
    disk.holdForcesUpUntil(answers);
    CompletableFuture<Void> blocked = schedule(session, "a").thenAccept(reply -> block());
    CompletableFuture<Void> closed = CompletableFuture.runAsync(store::close);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> store.queues().toCompletableFuture().isCompletedExceptionally());

    answers.countDown();

    await().atMost(Duration.ofMinutes(1)).untilTrue(givenUp);
    closed.join();
    release.countDown();
    blocked.join();
  }

  @Test
  void compaction_callbackBlocks_goesOn() throws Exception {
    try (JournalStore store = open(Duration.ofMillis(1))) {
      Session session = Session.of(store, "q");
      int messages = 0;
      while (segments() < 6) {
        session.schedule("m" + messages++, Session.FAR);
      }
      List<Operation> cancels = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        cancels.add(new Operation.Cancel("m" + i));
      }
      CompletableFuture<Void> blocked =
          session.send(new Call.Apply(cancels, null)).thenAccept(reply -> block());

      await().atMost(Duration.ofMinutes(1)).until(() -> segments() <= 2);

      assertThat(blocked).isNotDone();
      release.countDown();
      blocked.join();
    }
  }

  private long segments() throws IOException {
    return disk.list().stream().filter(FileNames::isSegment).count();
  }
}
