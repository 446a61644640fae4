package io.punctual.journal.partition;

import io.punctual.DeleteQueueOutcome;
import io.punctual.QueueLimits;
import io.punctual.embedded.UsedByName;
import io.punctual.internal.log.Logs;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segments;
import io.punctual.spi.Partition;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The queues of the journal, by name and by number. A queue gets its number with its first record
 * in the journal. For the journal's thread alone.
 */
public final class Partitions {
  private static final Logger log = Logs.of(Partitions.class);

  /** The number of expired ids that {@link #tidy} forgets. */
  private static final int SOME = 100;

  /** The number of expired ids that a step of a deletion removes. */
  private static final int MANY = 5 * Partition.MAX_OPERATIONS;

  private final long hashSeed;
  private final RecordLog appendLog;
  private final Segments segments;
  private final AttemptLog attempts;
  private final long nowMillis;
  private final UsedByName<PartitionState> inUse = new UsedByName<>();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final TreeMap<Integer, Numbered> byNumber = new TreeMap<>();

  /** The queue that {@link #tidy} looked at last. */
  private int tidied;

  /**
   * The deleted queues that older segments may still name: the number of each queue, and the number
   * of the segment that first records its deletion. Each segment that the log begins repeats the
   * deletion, until compaction has removed the last segment from before the deletion.
   */
  private final Map<Integer, Integer> deletedIn = new HashMap<>();

  /**
   * A queue with a number. It keeps the queue's state in memory while the state has contents. The
   * state of an empty queue stays only while something uses it.
   */
  private static final class Numbered {
    private final String name;
    private @Nullable PartitionState contents;

    Numbered(String name) {
      this.name = name;
    }
  }

  public Partitions(
      long hashSeed, RecordLog appendLog, Segments segments, AttemptLog attempts, long nowMillis) {
    this.hashSeed = hashSeed;
    this.appendLog = appendLog;
    this.segments = segments;
    this.attempts = attempts;
    this.nowMillis = nowMillis;
  }

  long hashSeed() {
    return hashSeed;
  }

  AttemptLog attempts() {
    return attempts;
  }

  public PartitionState named(String name) {
    return inUse.get(name, this::create);
  }

  private PartitionState create(String name) {
    PartitionState created = new PartitionState(name, this, appendLog, segments, nowMillis);
    created.queue(numbers.getOrDefault(name, 0));
    return created;
  }

  public @Nullable PartitionState numbered(int number) {
    Numbered queue = byNumber.get(number);
    if (queue == null) {
      return null;
    }
    return queue.contents == null ? named(queue.name) : queue.contents;
  }

  /** Restores the number of a queue from a record. */
  public void define(int number, String name) {
    PartitionState partition = inUse.find(name);
    if (partition != null) {
      partition.queue(number);
    }
    Numbered before = byNumber.get(number);
    if (before == null || !before.name.equals(name)) {
      put(number, name);
      if (before != null) {
        withoutNumber(number, before);
      }
      if (partition != null) {
        partition.keepOrDrop();
      }
    }
    deletedIn.remove(number);
  }

  private void put(int number, String name) {
    byNumber.put(number, new Numbered(name));
    numbers.put(name, number);
  }

  private void withoutNumber(int number, Numbered queue) {
    numbers.remove(queue.name, number);
    PartitionState partition = inUse.find(queue.name);
    if (partition != null) {
      partition.queue(0);
    }
  }

  /** Keeps the state of a queue in memory, or no longer if it is null. */
  void keep(int number, @Nullable PartitionState contents) {
    Numbered queue = byNumber.get(number);
    if (queue != null) {
      queue.contents = contents;
    }
  }

  /**
   * Removes some expired remembered ids of a further queue, which nobody may use any more. A call
   * with each look-up visits all queues in turn.
   */
  public void tidy(long now) {
    Map.Entry<Integer, Numbered> next = byNumber.higherEntry(tidied);
    tidied = next == null ? 0 : next.getKey();
    PartitionState contents = next == null ? null : next.getValue().contents;
    if (contents != null) {
      boolean unused = forgetExpired(contents, now, SOME);
    }
  }

  /** Returns whether further ids have expired. */
  private static boolean forgetExpired(PartitionState partition, long now, int limit) {
    int slot = partition.finished().first(now);
    for (int i = 0; i < limit && slot != SlotTable.NONE; i++) {
      partition.moves().remove(slot);
      slot = partition.finished().first(now);
    }
    return slot != SlotTable.NONE;
  }

  /**
   * Deletes a queue if it holds neither messages nor remembered ids. Returns null if it has removed
   * many expired ids, and there are more; the caller then lets other queues work, and calls again.
   */
  public @Nullable DeleteQueueOutcome delete(String name, long now) {
    if (!numbers.containsKey(name)) {
      return DeleteQueueOutcome.NOT_FOUND;
    }
    PartitionState partition = named(name);
    if (partition.queue() == 0 || deletedIn.containsKey(partition.queue())) {
      return DeleteQueueOutcome.NOT_FOUND;
    }
    if (forgetExpired(partition, now, MANY)) {
      return null;
    }
    if (partition.slots().size() > 0) {
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
    Numbered queue = byNumber.get(number);
    if (queue == null) {
      return;
    }
    PartitionState partition = inUse.find(queue.name);
    if (partition != null) {
      partition.settings().restorePaused(false);
      partition.settings().restoreLimits(QueueLimits.none());
      partition.keepOrDrop();
    }
    deletedIn.putIfAbsent(number, segment);
  }

  /**
   * Completes the restored queues. A deleted queue that still has messages is treated as existing,
   * because a repair kept the record of its deletion, but lost the removals of its messages.
   */
  public void restored() {
    for (PartitionState partition : withContents()) {
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
    put(number, partition.name());
    return number;
  }

  /** The queues with messages, remembered ids, a pause or limits. */
  public List<PartitionState> withContents() {
    return byNumber.values().stream()
        .map(queue -> queue.contents)
        .filter(Objects::nonNull)
        .toList();
  }

  /**
   * The number of queues that have a number in the journal, including deleted queues that older
   * segments may name.
   */
  public int size() {
    return byNumber.size();
  }

  /** The names of the queues in the journal, sorted. */
  public List<String> names() {
    return byNumber.entrySet().stream()
        .filter(queue -> !deletedIn.containsKey(queue.getKey()))
        .map(queue -> queue.getValue().name)
        .sorted()
        .toList();
  }

  /**
   * Writes the number and the name of each queue, then its settings, or that it was deleted. First
   * forgets the deleted queues that no older segment can name.
   */
  public void describe(RecordBuffer into) {
    byNumber.entrySet().removeIf(queue -> forget(queue.getKey(), queue.getValue()));
    byNumber.forEach(
        (number, queue) -> {
          into.queue(number, queue.name.getBytes(StandardCharsets.UTF_8));
          if (deletedIn.containsKey(number)) {
            into.deleted(number);
          } else {
            describe(number, queue.contents, into);
          }
        });
  }

  private static void describe(int number, @Nullable PartitionState contents, RecordBuffer into) {
    if (contents == null) {
      into.paused(number, false);
    } else {
      contents.settings().describe(number, into);
    }
  }

  /**
   * Forgets a queue that was deleted, if no segment can have a record from before the deletion.
   * Returns whether the queue was forgotten.
   */
  private boolean forget(int number, Numbered queue) {
    Integer segment = deletedIn.get(number);
    boolean forgotten =
        segment != null
            && segments.inOrder().stream().noneMatch(each -> each.header().first() <= segment);
    if (forgotten) {
      deletedIn.remove(number);
      withoutNumber(number, queue);
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
      replaced = attempts.rotate(() -> withContents().forEach(this::addAttempts));
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
  public boolean recount(List<AttemptLog.Attempt> attempts) {
    for (AttemptLog.Attempt attempt : attempts) {
      Numbered queue = byNumber.get(attempt.queue());
      PartitionState partition = queue == null ? null : queue.contents;
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
