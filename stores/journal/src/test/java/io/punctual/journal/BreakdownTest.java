package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests errors on the journal's own threads, such as a lack of memory. */
final class BreakdownTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(1));

  /**
   * A clock that throws an error after a number of readings by the journal's thread, which reads
   * the clock in the middle of its tasks. The test's thread can always read the clock.
   */
  private static final class BreakingClock implements InstantSource {
    private final Thread test = Thread.currentThread();
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    private final Error error;

    BreakingClock(Error error) {
      this.error = error;
    }

    @Override
    public Instant instant() {
      if (Thread.currentThread() != test && left.getAndDecrement() <= 0) {
        throw error;
      }
      return Instant.now();
    }
  }

  private JournalStore open(InstantSource clock) {
    JournalOptions options =
        new JournalOptions(clock, Fsync.ALWAYS, 4096, 0, Duration.ofSeconds(1));
    try {
      return new JournalStore(OpenJournal.open(new Folder(disk, () -> {}), options), "simulated");
    } catch (IOException e) {
      throw new PunctualException("not opened", e);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  void error_atAnyMoment_everyCallEndsAndTheStoreClosesForWrites(int readings) {
    BreakingClock clock = new BreakingClock(new OutOfMemoryError("seeded"));
    List<String> confirmed = new ArrayList<>();
    JournalStore store = open(clock);
    Session session = Session.of(store, "q");
    clock.left.set(readings);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                CompletableFuture<Reply> scheduled =
                    session.send(
                        new Call.Apply(List.of(Session.scheduling("m" + i, Session.PAST)), null));
                CompletableFuture<?> looked = session.partition().counts().toCompletableFuture();
                Session.await(scheduled);
                confirmed.add("m" + i);
                Session.await(looked);
                Reply.Claimed claimed = session.claim(1);
                session.apply(new Operation.Release("m" + i, claimed.token(), null));
              }
            })
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("OutOfMemoryError: seeded");
    assertThatThrownBy(() -> Session.of(store, "q"))
        .isInstanceOf(Partition.PartitionException.class)
        .hasMessageContaining("closed for good")
        .hasMessageContaining("OutOfMemoryError: seeded");
    store.close();
    clock.left.set(Integer.MAX_VALUE);
    try (JournalStore again = open(clock)) {
      assertThat(Session.of(again, "q").claimIds()).containsAll(confirmed);
    }
  }
}
