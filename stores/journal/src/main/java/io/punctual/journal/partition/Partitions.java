package io.punctual.journal.partition;

import io.punctual.DeleteQueueOutcome;
import io.punctual.QueueLimits;
import io.punctual.internal.log.Logs;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.Attempts;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.Segments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The queues of the journal, by name and by number. A queue gets its number with its first record
 * in the journal. For the journal's thread alone.
 */
public final class Partitions {
  private static final Logger log = Logs.of(Partitions.class);

  private final long hashSeed;
  private final Log appendLog;
  private final Segments segments;
  private final Attempts attempts;
  private final long nowMillis;
  private final Map<String, PartitionState> byName = new HashMap<>();
  private final TreeMap<Integer, PartitionState> byNumber = new TreeMap<>();

  /**
   * The deleted queues that older segments may still name: the number of each queue, and the number
   * of the segment that first records its deletion. Each segment that the log begins repeats the
   * deletion, until compaction has removed the last segment from before the deletion.
   */
  private final Map<Integer, Integer> deletedIn = new HashMap<>();

  public Partitions(
      long hashSeed, Log appendLog, Segments segments, Attempts attempts, long nowMillis) {
    this.hashSeed = hashSeed;
    this.appendLog = appendLog;
    this.segments = segments;
    this.attempts = attempts;
    this.nowMillis = nowMillis;
  }

  long hashSeed() {
    return hashSeed;
  }

  Attempts attempts() {
    return attempts;
  }

  public PartitionState named(String name) {
    return byName.computeIfAbsent(
        name, missing -> new PartitionState(missing, this, appendLog, segments, nowMillis));
  }

  public @Nullable PartitionState numbered(int number) {
    return byNumber.get(number);
  }

  /** Restores the number of a queue from a record. */
  public void define(int number, String name) {
    PartitionState partition = named(name);
    partition.queue(number);
    PartitionState before = byNumber.put(number, partition);
    if (before != null && before != partition) {
      before.queue(0);
    }
    deletedIn.remove(number);
  }

  /** Deletes a queue if it holds neither messages nor remembered ids. */
  public DeleteQueueOutcome delete(String name, long now) {
    PartitionState partition = byName.get(name);
    if (partition == null || partition.queue() == 0 || isDeleted(partition)) {
      return DeleteQueueOutcome.NOT_FOUND;
    }
    if (!partition.isEmpty(now)) {
      return DeleteQueueOutcome.NOT_EMPTY;
    }
    appendLog.records().deleted(partition.queue());
    wasDeleted(partition.queue(), appendLog.lastNumber());
    appendLog.added();
    return DeleteQueueOutcome.DELETED;
  }

  /**
   * Marks a queue as deleted. {@code segment} is the number of the segment that records the
   * deletion.
   */
  public void wasDeleted(int number, int segment) {
    PartitionState partition = byNumber.get(number);
    if (partition != null) {
      partition.settings().restorePaused(false);
      partition.settings().restoreLimits(QueueLimits.none());
      deletedIn.putIfAbsent(number, segment);
    }
  }

  /**
   * Completes the restored queues. A deleted queue that still has messages is treated as existing,
   * because a repair kept the record of its deletion, but lost the removals of its messages.
   */
  public void restored() {
    for (PartitionState partition : byNumber.values()) {
      partition.restored();
      if (partition.slots().size() > 0 && revive(partition.queue())) {
        log.warn(
            "Queue '{}' was deleted, but exists again with {} messages: a repair lost their"
                + " removals",
            partition.name(),
            partition.slots().size());
      }
    }
  }

  /** Makes a deleted queue exist again. Returns whether it was deleted. */
  boolean revive(int number) {
    return deletedIn.remove(number) != null;
  }

  /** Registers a queue under a new number, and returns the number. */
  int newNumber(PartitionState partition) {
    int number = byNumber.isEmpty() ? 1 : byNumber.lastKey() + 1;
    byNumber.put(number, partition);
    return number;
  }

  /**
   * The queues that have a number in the journal, including deleted queues that older segments may
   * name.
   */
  public Collection<PartitionState> defined() {
    return byNumber.values();
  }

  /** The names of the queues in the journal, sorted. */
  public List<String> names() {
    List<String> names =
        new ArrayList<>(
            byNumber.values().stream()
                .filter(partition -> !isDeleted(partition))
                .map(PartitionState::name)
                .toList());
    names.sort(null);
    return List.copyOf(names);
  }

  /**
   * Writes the number and the name of each queue, then its settings, or that it was deleted. First
   * forgets the deleted queues that no older segment can name.
   */
  public void describe(RecordBuffer into) {
    byNumber.values().removeIf(this::forget);
    for (PartitionState partition : byNumber.values()) {
      into.queue(partition.queue(), partition.name().getBytes(StandardCharsets.UTF_8));
      if (isDeleted(partition)) {
        into.deleted(partition.queue());
      } else {
        partition.settings().describe(partition.queue(), into);
      }
    }
  }

  private boolean isDeleted(PartitionState partition) {
    return deletedIn.containsKey(partition.queue());
  }

  /**
   * Forgets a queue that was deleted, if no segment can have a record from before the deletion.
   * Returns whether the queue was forgotten.
   */
  private boolean forget(PartitionState partition) {
    Integer segment = deletedIn.get(partition.queue());
    boolean forgotten =
        segment != null
            && segments.inOrder().stream().noneMatch(each -> each.header().first() <= segment);
    if (forgotten) {
      deletedIn.remove(partition.queue());
      partition.queue(0);
    }
    return forgotten;
  }

  /**
   * Begins a new file of attempts, which starts with the attempts of the current leases. If that
   * fails, for example because the disk is full, the old file stays in use.
   */
  void rotateAttempts() {
    String replaced;
    try {
      replaced = attempts.rotate(() -> byNumber.values().forEach(this::addAttempts));
    } catch (IOException e) {
      log.warn(
          "A new file of attempts could not be written; {} stays in use, and grows",
          attempts.name(),
          e);
      return;
    }
    appendLog.whenSafe(
        new Frame.Confirmation() {
          @Override
          public void confirmed() {
            attempts.drop(replaced);
          }

          @Override
          public void failed(RuntimeException why) {
            // The old file stays: the next start reads it and deletes it.
          }
        });
  }

  /** Records the attempts of leases that an earlier run did not end. Always returns true. */
  public boolean recount(List<Attempts.Attempt> attempts) {
    for (Attempts.Attempt attempt : attempts) {
      PartitionState partition = byNumber.get(attempt.queue());
      if (partition != null) {
        LeaseClosing.recount(partition, attempt);
      }
    }
    return true;
  }

  private void addAttempts(PartitionState partition) {
    SlotTable slots = partition.slots();
    partition
        .leases()
        .forEach(
            lease ->
                attempts.add(
                    partition.queue(),
                    slots.sequence(lease.slot),
                    slots.hash(lease.slot),
                    lease.token,
                    lease.attempt));
  }
}
