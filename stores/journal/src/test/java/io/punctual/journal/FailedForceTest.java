package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.OutcomeUnknownException;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segments;
import io.punctual.spi.Call;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** After a failed force, the calls that wait and new calls fail immediately with the cause. */
@Timeout(300)
final class FailedForceTest {
  private final SimulatedDisk disk = new SimulatedDisk(new Random(3));

  /**
   * Returns a client with a timeout of ten minutes, so that no call of a test fails because of the
   * timeout.
   */
  private Punctual client(JournalStore store) {
    return Punctual.builder().store(store).operationTimeout(Duration.ofMinutes(10)).build();
  }

  @Test
  void schedule_forceFails_callerHearsAtOnceWithTheCauseThatTheOutcomeIsUnknown() {
    try (Punctual punctual = client(FailedForceHistory.open(disk))) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule("before", Duration.ofDays(1));
      disk.failForceAfter(0);

      assertThatThrownBy(() -> queue.schedule("a", Duration.ofDays(1)))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("closed for good")
          .hasMessageContaining("could not be forced")
          .hasRootCauseMessage("seeded failure");
      assertThatThrownBy(() -> queue.schedule("b", Duration.ofDays(1)))
          .isInstanceOf(PunctualException.class)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("closed for good");
    }
  }

  /**
   * Many calls are in flight when the journal fails. Each of them, and each later call, must end.
   */
  @Test
  void manyCallers_forceFails_everyCallFailsAtOnceWithTheCause() throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(8);
    try (Punctual punctual = client(FailedForceHistory.open(disk))) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule("before", Duration.ofDays(1));
      disk.failForceAfter(20);
      List<Future<List<PunctualException>>> all = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Runnable call =
            i % 2 == 0
                ? () -> queue.schedule("a", Duration.ofDays(1))
                : () -> queue.claim(1, Duration.ZERO);
        all.add(callers.submit(() -> failures(call)));
      }
      for (Future<List<PunctualException>> failures : all) {
        assertThat(failures.get())
            .hasSize(5)
            .allSatisfy(failure -> assertThat(failure).hasMessageContaining("closed for good"));
      }
    } finally {
      callers.shutdownNow();
    }
  }

  /** Makes a call until it has failed five times. */
  private static List<PunctualException> failures(Runnable call) {
    List<PunctualException> failures = new ArrayList<>();
    while (failures.size() < 5) {
      try {
        call.run();
      } catch (PunctualException e) {
        failures.add(e);
      }
    }
    return failures;
  }

  @Test
  void call_repeatedAfterItsForceFailed_isForgottenAndNotFailedAgain() {
    try (JournalStore store = FailedForceHistory.open(disk)) {
      Session session = Session.of(store, "q");
      session.schedule("before", Session.PAST);
      disk.failForceAfter(0);
      Call.Apply apply = new Call.Apply(List.of(Session.scheduling("a", Session.PAST)), null);

      assertThatThrownBy(() -> Session.await(session.send(apply)))
          .isInstanceOf(PunctualException.class);
      assertThat(Session.await(session.send(apply))).isInstanceOf(Reply.Forgotten.class);
    }
  }

  @Test
  void call_repeatedAfterItsForceFailed_callbackNeverRunsOnTheThreadOfTheEngine() throws Exception {
    JournalOptions options =
        new JournalOptions(InstantSource.system(), Fsync.ALWAYS, 4096, 0, Duration.ofSeconds(1));
    OpenJournal open = OpenJournal.open(new Folder(disk, () -> {}), options);
    try (JournalStore store = new JournalStore(open, "simulated")) {
      Session session = Session.of(store, "q");
      session.schedule("before", Session.PAST);
      disk.failForceAfter(0);
      Call.Apply apply = new Call.Apply(List.of(Session.scheduling("a", Session.PAST)), null);
      assertThatThrownBy(() -> Session.await(session.send(apply)))
          .isInstanceOf(PunctualException.class);

      CountDownLatch callbackIsThere = new CountDownLatch(1);
      open.journal()
          .thread()
          .executeInAnyCase(() -> awaitUninterruptibly(callbackIsThere), cause -> {});
      CompletableFuture<String> thread =
          session.send(apply).handle((reply, failure) -> Thread.currentThread().getName());
      callbackIsThere.countDown();

      assertThat(thread.get(30, TimeUnit.SECONDS)).isNotEqualTo("punctual-journal");
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("Nobody interrupts the store's threads", e);
    }
  }

  /**
   * The log fails while the writer has a frame, but not because of a failed force. The writer then
   * reports the frame as written. The report must not keep the journal's thread from parking.
   */
  @Test
  void written_frameThatWasGivenUp_isNotWaitedForAnyMore() {
    Segments segments = new Segments();
    ManifestFile manifest = new ManifestFile(disk, new Manifest(1, 2, 3, List.of()));
    AtomicReference<Frame> submitted = new AtomicReference<>();
    RecordLog log =
        new RecordLog(segments, manifest, submitted::set, 4096, into -> into.marks(1, 1));
    RecordBuffer unused = log.records();
    log.flush();
    log.fail(new PunctualException("seeded"));

    log.written(submitted.get());

    assertThat(log.confirm()).isFalse();
    assertThat(log.hasWritten()).isFalse();
  }
}
