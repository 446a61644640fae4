package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.journal.disk.CreateFailedException;
import io.punctual.spi.Call;
import io.punctual.spi.Outcome;
import io.punctual.spi.Reply;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
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

  @ParameterizedTest
  @ValueSource(strings = {"segment", "manifest"})
  void rollOver_fileCannotBeCreated_schedulesAreRefusedUntilItCan(String prefix) throws Exception {
    int stored = 0;
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofDays(1))) {
      Session filling = Session.of(store, "q");
      Session other = Session.of(store, "q");
      refuse(prefix);
      CompletableFuture<Reply> last;
      do {
        CompletableFuture<Reply> sent =
            filling.sendNext(
                new Call.Apply(List.of(Session.scheduling("m" + stored++, Session.PAST)), null));
        await().atMost(Duration.ofMinutes(1)).until(() -> sent.isDone() || refusals.get() > 0);
        last = sent;
      } while (refusals.get() == 0);
      await().atMost(Duration.ofMinutes(1)).until(() -> refusals.get() > 1);

      assertThat(other.schedule("refused", Session.PAST))
          .isInstanceOfSatisfying(
              Outcome.Full.class, full -> assertThat(full.why()).contains("Too many open files"));
      assertThat(other.claim(1).messages()).hasSize(1);

      disk.beforeCreate(name -> {});
      assertThat(((Reply.Applied) Session.await(last)).outcomes().get(0))
          .isInstanceOf(Outcome.OfSchedule.class);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> other.schedule("later", Session.PAST) instanceof Outcome.OfSchedule);
    }
    assertThat(JournalTool.verify(simulated).damage()).isEmpty();
    assertThat(JournalTool.stats(simulated).waiting()).isEqualTo(stored + 1);
  }
}
