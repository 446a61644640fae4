package io.punctual.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a queue. They stay in memory while a client uses one of them, and while one of
 * them has contents: messages, remembered ids, a pause or limits. Safe for use by many threads.
 */
final class MemoryQueue {
  private final String name;
  private final ExistingQueues existing;
  private final List<MemoryPartition> partitions;
  private final Contents contents;

  /** The partitions with contents, by index; null at the index of a partition without contents. */
  static final class Contents {
    @GuardedBy("this") private final @Nullable MemoryPartition[] partitions;

    private Contents(int count) {
      partitions = new MemoryPartition[count];
    }

    private synchronized void set(int index, @Nullable MemoryPartition partition) {
      partitions[index] = partition;
    }

    private synchronized List<@Nullable MemoryPartition> all() {
      return new ArrayList<>(Arrays.asList(partitions));
    }

    /** Removes some expired remembered ids. */
    void forgetExpired() {
      for (MemoryPartition partition : all()) {
        if (partition != null) {
          partition.forgetExpired();
        }
      }
    }
  }

  MemoryQueue(String name, int count, InstantSource clock, ExistingQueues existing) {
    this.name = name;
    this.existing = existing;
    contents = new Contents(count);
    List<MemoryPartition> made = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      made.add(new MemoryPartition(this, index, count, clock));
    }
    partitions = List.copyOf(made);
  }

  String name() {
    return name;
  }

  List<MemoryPartition> partitions() {
    return partitions;
  }

  void close() {
    partitions.forEach(MemoryPartition::close);
  }

  boolean exists() {
    return existing.has(name);
  }

  /** The token that the tokens of a new partition must exceed. */
  long lastToken() {
    return existing.lastToken();
  }

  /** Notes that a partition has been used; called with its lock. */
  void begin() {
    existing.add(name, contents);
  }

  /** Notes that the queue was deleted; called with the locks of all partitions. */
  void end() {
    existing.remove(name);
  }

  /** Keeps a partition in memory, because it has contents; called with its lock. */
  void keep(int index, MemoryPartition partition) {
    contents.set(index, partition);
  }

  /**
   * Keeps a partition no longer, because it is empty; called with its lock.
   *
   * @param lastToken the last token of the partition
   */
  void drop(int index, long lastToken) {
    existing.dropped(lastToken);
    contents.set(index, null);
  }
}
