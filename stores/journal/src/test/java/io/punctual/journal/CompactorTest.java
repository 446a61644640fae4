package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.spi.Operation;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests failures of the thread that compacts: it goes on after each of them. */
@Timeout(300)
final class CompactorTest {
  /** Without compaction, the segments have about 28,600 bytes. A tenth of the messages stays. */
  private static final long COMPACTED_BYTES = 14_000;

  private final SimulatedDisk simulated = new SimulatedDisk(new Random(5));
  private final RefusingDisk disk = new RefusingDisk(simulated);

  private void failInCompactor(Throwable failure, AtomicInteger left) {
    disk.beforeCreate(
        name -> {
          boolean isCompactor = Thread.currentThread().getName().contains("compactor");
          if (isCompactor && left.getAndDecrement() > 0) {
            if (failure instanceof IOException known) {
              throw known;
            }
            throw (Error) failure;
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void round_fails_laterRoundsCompact(boolean isError) throws Exception {
    AtomicInteger left = new AtomicInteger(3);
    failInCompactor(
        isError ? new OutOfMemoryError("seeded") : new IOException("seeded failure"), left);
    try (JournalStore store = FailedForceHistory.open(disk, Duration.ofMillis(1))) {
      Session session = Session.of(store, "q");
      for (int i = 0; i < 200; i++) {
        session.schedule("m" + i, Session.FAR);
        if (i % 10 != 0) {
          session.apply(new Operation.Cancel("m" + i));
        }
      }
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> left.get() < 0 && JournalTool.stats(simulated).bytes() < COMPACTED_BYTES);
    }
    assertThat(JournalTool.verify(simulated).damage()).isEmpty();
    assertThat(JournalTool.stats(simulated).waiting()).isEqualTo(20);
  }
}
