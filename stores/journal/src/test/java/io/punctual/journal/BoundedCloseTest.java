package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A close on a disk that hangs returns after its time limit, so that the process can end. */
@Timeout(300)
final class BoundedCloseTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(3));
  private final AtomicBoolean givenUp = new AtomicBoolean();

  @Test
  void close_forceHangs_returnsAndKeepsTheFolderUntilTheDiskAnswers() throws Exception {
    JournalOptions options =
        new JournalOptions(
            InstantSource.system(),
            Fsync.ALWAYS,
            4096,
            0,
            Duration.ofSeconds(1),
            Duration.ofMillis(100));
    Folder folder = new Folder(disk, () -> givenUp.set(true));
    JournalStore store = new JournalStore(OpenJournal.open(folder, options), "simulated");
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    CountDownLatch answers = new CountDownLatch(1);
    disk.holdForcesUpUntil(answers);
    var hung = session.send(new Call.Apply(List.of(Session.scheduling("b", Session.PAST)), null));

    store.close();

    assertThat(givenUp).isFalse();
    assertThatThrownBy(() -> Session.await(hung))
        .isInstanceOf(PunctualException.class)
        .isNotInstanceOf(Partition.PartitionException.class)
        .hasMessageContaining("the disk did not answer");
    answers.countDown();
    await().atMost(Duration.ofMinutes(1)).untilTrue(givenUp);
    try (JournalStore again = FailedForceHistory.open(disk)) {
      assertThat(Session.of(again, "q").claimIds()).contains("a");
    }
  }
}
