package io.punctual.journal;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.embedded.UsedByName;
import io.punctual.journal.disk.FileFailures;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.partition.JournalPartition;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Messages in append-only files of one folder, owned by one process: durable, embedded, nothing to
 * install. A message costs an append, small appends for its claim and its settlement, and about 50
 * bytes of memory while the message is pending. {@link Fsync} decides when changes are forced to
 * the disk.
 *
 * <p>One thread owns the state. A second thread writes and forces, so that changes which arrive
 * together share a force. A slow disk delays the completion of the stages, but does not block the
 * calling threads. Each queue has one partition. Leases live in memory and end with the process.
 * Their messages then become due again, with their attempts counted, unless they were cancelled.
 *
 * <p>Schedule, cancel, claim and settle cost the same however many messages are pending. Browse,
 * counts, forecast and purge look at every message of the queue, in some tens of milliseconds for a
 * million messages. They work in small steps, and other calls run between the steps. A page of a
 * browse also reads ids from the disk: the ids of all messages with the same due time as the first
 * or the last message of the page.
 *
 * <p>Safe for use by many threads.
 */
public final class JournalStore implements Store {
  private final OpenJournal open;
  private final String description;

  /** The partition of each queue in use. Only the journal's thread uses them. */
  private final UsedByName<JournalPartition> partitions = new UsedByName<>();

  JournalStore(OpenJournal open, String description) {
    this.open = open;
    this.description = description;
  }

  /**
   * Returns a builder of a store in {@code folder}. The store creates the folder if it does not
   * exist.
   */
  public static Builder builder(Path folder) {
    return new Builder(folder);
  }

  @Override
  public String describe() {
    return description;
  }

  /**
   * Returns all capabilities except {@link Capability#TRANSACTIONS}, {@link Capability#WORKERS} and
   * {@link Capability#DURABILITY}. A call cannot choose its durability, because {@link Fsync}
   * applies to the whole journal.
   */
  @Override
  public Set<Capability> capabilities() {
    return Collections.unmodifiableSet(
        EnumSet.complementOf(
            EnumSet.of(Capability.DURABILITY, Capability.TRANSACTIONS, Capability.WORKERS)));
  }

  @Override
  public CompletionStage<List<Partition>> partitions(String queue) {
    return open.journal()
        .look(
            () -> {
              open.journal().partitions().tidy(open.journal().now().millis());
              return List.of(partition(queue));
            });
  }

  private JournalPartition partition(String queue) {
    return partitions.get(
        queue,
        name -> new JournalPartition(open.journal(), open.journal().partitions().named(name)));
  }

  @Override
  public CompletionStage<List<String>> queues() {
    return open.journal().look(() -> open.journal().partitions().names());
  }

  @Override
  public CompletionStage<DeleteQueueOutcome> delete(String queue) {
    return open.journal()
        .look(
            () -> {
              DeleteQueueOutcome outcome =
                  open.journal().partitions().delete(queue, open.journal().now().millis());
              if (outcome == DeleteQueueOutcome.DELETED) {
                partition(queue).forgetSessions();
              }
              return Optional.ofNullable(outcome);
            })
        .thenCompose(
            outcome ->
                outcome.isPresent()
                    ? CompletableFuture.completedFuture(outcome.get())
                    : delete(queue));
  }

  @Override
  public CompletionStage<@Nullable Void> ping() {
    return open.journal().look(() -> true).thenAccept(answered -> {});
  }

  @Override
  public CompletionStage<long[]> untilNext(List<Partition> asked) {
    return open.journal()
        .look(
            () ->
                asked.stream()
                    .mapToLong(partition -> ((JournalPartition) partition).untilNextMicros())
                    .toArray());
  }

  @Override
  public Duration safetyCheckInterval(int partitions) {
    return Duration.ofSeconds(1);
  }

  /**
   * Completes the accepted calls, ends the leases and the last segment so that the next start is
   * quick, and releases the folder. If this takes more than 30 seconds, for example because the
   * disk does not respond, this method returns, and the folder stays locked until the close has
   * completed.
   */
  @Override
  public void close() {
    open.close();
  }

  /** Builds a {@link JournalStore}. Not safe for use by many threads. */
  public static final class Builder {
    private static final long UNSET = -1;
    private static final long DEFAULT_BYTES = 64 << 20;

    private final Path folder;
    private InstantSource clock = InstantSource.system();
    private Fsync fsync = Fsync.ALWAYS;
    private long segmentBytes = UNSET;
    private long minFreeBytes = UNSET;
    private boolean networkFileSystem;
    private boolean create = true;

    private Builder(Path folder) {
      this.folder = folder;
    }

    /**
     * Sets the engine clock, which decides when messages are due. By default it is the system's
     * clock. If the clock steps back, waiting messages are late by the size of the step.
     */
    public Builder clock(InstantSource clock) {
      this.clock = clock;
      return this;
    }

    /** Sets when changes are forced to the disk: by default {@link Fsync#ALWAYS}. */
    public Builder fsync(Fsync fsync) {
      this.fsync = fsync;
      return this;
    }

    /**
     * Sets the size at which a segment ends and the next begins: by default 64 MiB, or a quarter of
     * the disk if that is less. If the system limits the size of files, a segment has at most half
     * of that limit.
     *
     * @throws IllegalArgumentException if the size is less than 4 KiB or more than 1 GiB
     */
    public Builder segmentBytes(long bytes) {
      if (bytes < 4 << 10 || bytes > 1 << 30) {
        throw new IllegalArgumentException(
            "A segment has 4 KiB to 1 GiB, but segmentBytes was " + bytes);
      }
      segmentBytes = bytes;
      return this;
    }

    /**
     * Sets how many bytes must be free on the disk for messages to be scheduled: by default 64 MiB,
     * or a quarter of the disk if that is less. With less free space the store refuses schedules.
     * The remaining space is for claims, settlements and cancels.
     *
     * @throws IllegalArgumentException if the number is negative
     */
    public Builder minFreeBytes(long bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException("minFreeBytes must not be negative, but was " + bytes);
      }
      minFreeBytes = bytes;
      return this;
    }

    /**
     * Sets whether the folder may be on a network file system; false by default, because locks and
     * forces may not work there.
     */
    public Builder allowNetworkFileSystem(boolean allow) {
      networkFileSystem = allow;
      return this;
    }

    /**
     * Sets whether a new journal is created if the folder has none; true by default. With false the
     * folder must have a journal, so that a disk that is not mounted is noticed.
     */
    public Builder create(boolean create) {
      this.create = create;
      return this;
    }

    /**
     * Opens the journal; blocks until the files of the folder have been read.
     *
     * @throws JournalDamagedException if the manifest or a segment is damaged
     * @throws StoreUnavailableException if another process, or another store in this process, owns
     *     the folder; the message names the owner, if it is known
     * @throws PunctualException if the folder has no journal and none may be created, or the
     *     journal can't be opened for a different reason
     */
    public JournalStore open() {
      NewJournal created = NewJournal.of(folder, create);
      try {
        Folder owned = Folder.take(folder, networkFileSystem);
        long quarter = owned.disk().totalBytes() / 4;
        JournalOptions options =
            new JournalOptions(
                clock,
                fsync,
                segmentBytes == UNSET ? defaultBytes(quarter) : segmentBytes,
                minFreeBytes == UNSET ? defaultBytes(quarter) : minFreeBytes,
                Duration.ofSeconds(1));
        JournalStore store =
            new JournalStore(OpenJournal.open(owned, options), "journal:" + folder);
        created.log(folder);
        return store;
      } catch (IOException e) {
        throw new PunctualException(
            "The journal " + folder + " could not be opened: " + FileFailures.reason(e), e);
      }
    }

    private static long defaultBytes(long quarterOfDisk) {
      return Math.min(DEFAULT_BYTES, quarterOfDisk);
    }
  }
}
