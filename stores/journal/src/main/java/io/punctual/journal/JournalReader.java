package io.punctual.journal;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.FileFailures;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.upkeep.RepairJob;
import io.punctual.journal.upkeep.Snapshot;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reads a journal without owning its folder, even while another process writes it. It answers
 * look-ups from a {@link Snapshot} of the files and refuses all changes. A snapshot serves look-ups
 * for 1 to 30 seconds; see {@link #age}. Safe for use by many threads.
 */
final class JournalReader implements Store {
  private static final Logger log = Logs.of(JournalReader.class);
  private static final Duration MIN_AGE = Duration.ofSeconds(1);
  private static final Duration MAX_AGE = Duration.ofSeconds(30);
  private static final int AGE_PER_READING = 10;

  private final Path folder;
  private final InstantSource clock;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(JournalReader::newThread);

  /**
   * The current snapshot, or null if there is none. Only {@link #thread} uses this field and {@link
   * #expiry}.
   */
  private @Nullable Snapshot snapshot;

  private @Nullable ScheduledFuture<?> expiry;

  private JournalReader(Path folder, InstantSource clock) {
    this.folder = folder;
    this.clock = clock;
  }

  /**
   * Opens a reader, and reads the files once to check them.
   *
   * @throws JournalDamagedException if the manifest or a segment is damaged
   * @throws PunctualException if the folder has no journal, or the journal can't be read
   */
  static JournalReader open(Path folder, InstantSource clock) {
    JournalTool.requireJournal(folder);
    JournalReader reader = new JournalReader(folder, clock);
    boolean complete = false;
    try {
      OpenJournal.opened(reader.look(Snapshot::queues));
      complete = true;
      return reader;
    } catch (IOException e) {
      throw new PunctualException(
          "The journal " + folder + " could not be read: " + FileFailures.reason(e), e);
    } catch (Partition.PartitionException e) {
      throw e.getCause() instanceof PunctualException cause ? cause : e;
    } finally {
      if (!complete) {
        reader.close();
      }
    }
  }

  private static Thread newThread(Runnable loop) {
    Thread thread = new Thread(loop, "punctual-journal-reader");
    thread.setDaemon(true);
    return thread;
  }

  /** Applies {@code look} to the current snapshot, on the thread of the reader. */
  <T> CompletableFuture<T> look(Function<Snapshot, T> look) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      thread.execute(() -> look(look, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(
          new Partition.NotSentException("The reader of the journal has been closed", e));
    }
    return answer;
  }

  private <T> void look(Function<Snapshot, T> look, CompletableFuture<T> answer) {
    try {
      answer.complete(answer(look));
    } catch (IOException e) {
      answer.completeExceptionally(
          refusal("The journal " + folder + " can't be read: " + FileFailures.reason(e), e));
    } catch (RuntimeException e) {
      answer.completeExceptionally(refusal(String.valueOf(e.getMessage()), e));
    } catch (Error e) {
      answer.completeExceptionally(e);
      throw e;
    }
  }

  private <T> T answer(Function<Snapshot, T> look) throws IOException {
    try {
      return look.apply(current());
    } catch (Partition.RefusedForNowException e) {
      // The owner may have deleted a file of this snapshot that had to be opened again.
      expire();
      return look.apply(current());
    }
  }

  private static Partition.PartitionException refusal(String why, Exception cause) {
    return new Partition.PartitionException(why, cause);
  }

  private Snapshot current() throws IOException {
    Snapshot known = snapshot;
    return known == null ? read() : known;
  }

  private Snapshot read() throws IOException {
    Folder files = Folder.read(folder);
    long begin = System.nanoTime();
    Snapshot read;
    try {
      read = Snapshot.of(files.disk(), EngineTime.of(clock.instant()).millis());
    } catch (JournalDamagedException e) {
      throw e.with(folder.toString(), RepairJob.remedy(files.disk()));
    }
    snapshot = read;
    Duration age = age(Duration.ofNanos(System.nanoTime() - begin));
    expiry = thread.schedule(this::expire, age.toNanos(), TimeUnit.NANOSECONDS);
    return read;
  }

  /**
   * Returns how long look-ups use a snapshot: ten times as long as it took to read, but at least 1
   * second and at most 30 seconds.
   */
  static Duration age(Duration reading) {
    Duration age = reading.multipliedBy(AGE_PER_READING);
    if (age.compareTo(MIN_AGE) < 0) {
      return MIN_AGE;
    }
    return age.compareTo(MAX_AGE) > 0 ? MAX_AGE : age;
  }

  private void expire() {
    Snapshot old = snapshot;
    snapshot = null;
    ScheduledFuture<?> due = expiry;
    if (due != null) {
      due.cancel(false);
    }
    if (old != null) {
      try {
        old.close();
      } catch (IOException e) {
        log.warn("The files of the journal {} could not be closed", folder, e);
      }
    }
  }

  /** Returns the message of the exception that refuses a change. */
  String readOnly() {
    return "The journal "
        + folder
        + " was opened with access=read; make changes in the process that owns it";
  }

  @Override
  public String describe() {
    return "journal:" + folder;
  }

  /**
   * Returns the same capabilities as a writable journal. So a client sends its changes to this
   * store, and the store refuses them with a reason.
   */
  @Override
  public Set<Capability> capabilities() {
    return Collections.unmodifiableSet(
        EnumSet.complementOf(
            EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS, Capability.WORKERS)));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return CompletableFuture.completedStage(List.of(new ReaderPartition(this, queue)));
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return look(Snapshot::queues);
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return CompletableFuture.failedStage(new Partition.PartitionException(readOnly(), null));
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> partitions) {
    long[] never = new long[partitions.size()];
    Arrays.fill(never, Reply.NONE);
    return CompletableFuture.completedStage(never);
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofMinutes(1);
  }

  @Override
  public void close() {
    try {
      thread.execute(this::expire);
    } catch (RejectedExecutionException closedAlready) {
      log.debug("The reader of {} is closed already", folder, closedAlready);
    }
    thread.shutdown();
  }
}
