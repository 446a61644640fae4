package io.punctual.journal.log;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The messages of a frame that can be claimed once it is safe. For the journal's thread alone. */
public final class Arrivals {
  /** The queue of a message. */
  public interface Queue {
    /** Makes a waiting message claimable; returns whether that lowered the earliest time. */
    boolean arrive(int slot, long sequence, long dueMillis);

    /** Notifies the listeners of a new earliest time. */
    void hint();
  }

  private @Nullable Queue[] queues = {};
  private int[] slots = {};
  private long[] sequences = {};
  private long[] dueMillis = {};
  private int size;

  public void add(Queue queue, int slot, long sequence, long due) {
    if (size == slots.length) {
      int length = Math.max(16, size * 2);
      queues = Arrays.copyOf(queues, length);
      slots = Arrays.copyOf(slots, length);
      sequences = Arrays.copyOf(sequences, length);
      dueMillis = Arrays.copyOf(dueMillis, length);
    }
    queues[size] = queue;
    slots[size] = slot;
    sequences[size] = sequence;
    dueMillis[size] = due;
    size++;
  }

  /** Makes them claimable, unless they have gone or changed again; sends hints. */
  void arrive() {
    Set<Queue> earlier = new LinkedHashSet<>();
    for (int i = 0; i < size; i++) {
      Queue queue = queues[i];
      if (queue != null && queue.arrive(slots[i], sequences[i], dueMillis[i])) {
        earlier.add(queue);
      }
    }
    earlier.forEach(Queue::hint);
  }
}
