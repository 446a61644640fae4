package io.punctual.journal;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of a frame that can be claimed once it is safe. For the engine's thread alone. */
final class Arrivals {
  private @Nullable LaneState[] lanes = {};
  private int[] slots = {};
  private long[] sequences = {};
  private long[] dueMillis = {};
  private int size;

  void add(LaneState lane, int slot, long sequence, long due) {
    if (size == slots.length) {
      int length = Math.max(16, size * 2);
      lanes = Arrays.copyOf(lanes, length);
      slots = Arrays.copyOf(slots, length);
      sequences = Arrays.copyOf(sequences, length);
      dueMillis = Arrays.copyOf(dueMillis, length);
    }
    lanes[size] = lane;
    slots[size] = slot;
    sequences[size] = sequence;
    dueMillis[size] = due;
    size++;
  }

  /** Makes them claimable, unless they have gone or changed again; sends hints. */
  void arrive() {
    Set<LaneState> earlier = new LinkedHashSet<>();
    for (int i = 0; i < size; i++) {
      LaneState lane = lanes[i];
      if (lane != null && lane.arrive(slots[i], sequences[i], dueMillis[i])) {
        earlier.add(lane);
      }
    }
    earlier.forEach(LaneState::hint);
  }
}
