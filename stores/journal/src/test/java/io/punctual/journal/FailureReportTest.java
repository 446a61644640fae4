package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.PunctualException;
import io.punctual.journal.disk.Folder;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The journal fails completely even if the report of its failure fails, for example because an
 * appender of the logger throws, or because no class can be loaded any more.
 */
@Timeout(300)
final class FailureReportTest {
  private final SimulatedDisk simulated = new SimulatedDisk(new Random(3));
  private final RefusingDisk disk = new RefusingDisk(simulated);
  private final AtomicBoolean givenUp = new AtomicBoolean();
  private final Thread test = Thread.currentThread();
  private final AtomicReference<Error> clockError = new AtomicReference<>();

  private void breakTheLogger() {
    disk.beforeDescribe(
        () -> {
          throw new NoClassDefFoundError("seeded failure of the logger");
        });
  }

  private OpenJournal open() throws IOException {
    InstantSource clock =
        () -> {
          Error error = clockError.get();
          if (error != null && Thread.currentThread() != test) {
            throw error;
          }
          return Instant.now();
        };
    JournalOptions options =
        new JournalOptions(clock, Fsync.ALWAYS, 4096, 0, Duration.ofSeconds(1));
    return OpenJournal.open(new Folder(disk, () -> givenUp.set(true)), options);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void write_failsAndSoDoesItsReport_everyCallHearsItAndTheFolderIsGivenUp(boolean isError)
      throws IOException {
    JournalStore store = new JournalStore(open(), "simulated");
    Session session = Session.of(store, "q");
    Session other = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    breakTheLogger();
    disk.beforeWrite(
        () -> {
          if (isError) {
            throw new OutOfMemoryError("seeded failure");
          }
          throw new IOException("seeded failure");
        });

    assertThatThrownBy(() -> session.schedule("b", Session.PAST)).satisfies(this::saysWhy);
    assertThatThrownBy(() -> Session.of(store, "q"))
        .isInstanceOf(Partition.PartitionException.class)
        .satisfies(this::saysWhy);
    assertThatThrownBy(() -> other.claim(1)).satisfies(this::saysWhy);
    assertThatThrownBy(() -> Session.await(store.ping().toCompletableFuture()))
        .satisfies(this::saysWhy);
    store.close();
    assertThat(givenUp).isTrue();
    try (JournalStore again = FailedForceHistory.open(simulated)) {
      assertThat(Session.of(again, "q").claimIds()).contains("a");
    }
  }

  @Test
  void task_breaksAndTheLoggerKeepsThrowing_journalFails() throws IOException {
    JournalStore store = new JournalStore(open(), "simulated");
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    breakTheLogger();
    clockError.set(new OutOfMemoryError("seeded failure"));
    assertThatThrownBy(() -> session.claim(1)).isInstanceOf(PunctualException.class);

    assertThatThrownBy(() -> Session.of(store, "q")).satisfies(this::saysWhy);
    store.close();
    assertThat(givenUp).isTrue();
  }

  private void saysWhy(Throwable failure) {
    assertThat(failure)
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("closed for good")
        .hasMessageContaining("seeded failure");
  }

  /** The callback of a reply closes the journal, even if no thread can be started. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void close_inTheCallbackOfAReply_doesNotWaitForItself(boolean hasThread) throws Exception {
    OpenJournal journal = open();
    JournalStore store = new JournalStore(journal, "simulated");
    Session session = Session.of(store, "q");
    session.schedule("a", Session.PAST);
    session.claim(1);

    CompletableFuture<?> end =
        session
            .partition()
            .closeSession("none")
            .thenRun(() -> journal.close(hasThread ? Thread::start : this::refuse))
            .toCompletableFuture();
    end.get(30, TimeUnit.SECONDS);

    assertThat(givenUp).isTrue();
    try (JournalStore again = FailedForceHistory.open(simulated)) {
      assertThat(Session.of(again, "q").claimIds()).containsExactly("a");
    }
  }

  private void refuse(Thread thread) {
    throw new OutOfMemoryError("unable to create native thread for " + thread.getName());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void close_systemHasNoThreadLeft_closesOnTheCallingThread(boolean isInterrupted)
      throws IOException {
    OpenJournal journal = open();
    Session.of(new JournalStore(journal, "simulated"), "q").schedule("a", Session.PAST);
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }

    journal.close(this::refuse);

    assertThat(Thread.interrupted()).isEqualTo(isInterrupted);
    assertThat(givenUp).isTrue();
    try (JournalStore again = FailedForceHistory.open(simulated)) {
      assertThat(Session.of(again, "q").claimIds()).containsExactly("a");
    }
  }
}
