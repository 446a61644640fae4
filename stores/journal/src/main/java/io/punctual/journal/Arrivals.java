package io.punctual.journal;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of a frame that can be claimed once it is safe. For the engine's thread alone. */
final class Arrivals {
  private @Nullable PartitionState[] partitions = {};
  private int[] slots = {};
  private long[] sequences = {};
  private long[] dueMillis = {};
  private int size;

  void add(PartitionState partition, int slot, long sequence, long due) {
    if (size == slots.length) {
      int length = Math.max(16, size * 2);
      partitions = Arrays.copyOf(partitions, length);
      slots = Arrays.copyOf(slots, length);
      sequences = Arrays.copyOf(sequences, length);
      dueMillis = Arrays.copyOf(dueMillis, length);
    }
    partitions[size] = partition;
    slots[size] = slot;
    sequences[size] = sequence;
    dueMillis[size] = due;
    size++;
  }

  /** Makes them claimable, unless they have gone or changed again; sends hints. */
  void arrive() {
    Set<PartitionState> earlier = new LinkedHashSet<>();
    for (int i = 0; i < size; i++) {
      PartitionState partition = partitions[i];
      if (partition != null && partition.arrive(slots[i], sequences[i], dueMillis[i])) {
        earlier.add(partition);
      }
    }
    earlier.forEach(PartitionState::hint);
  }
}
