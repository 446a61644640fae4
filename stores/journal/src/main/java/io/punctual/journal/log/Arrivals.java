package io.punctual.journal.log;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a frame that become claimable when the frame is safe. A frame is safe when it is
 * written, and also forced if the option {@code fsync} demands it. For the journal's thread alone.
 */
public final class Arrivals {
  /** The queue of a message in the frame. */
  public interface Queue {
    /**
     * Makes a waiting message claimable, unless it was removed or changed since. Returns whether
     * the earliest due time of the queue became earlier.
     */
    boolean arrive(int slot, long sequence, long dueMillis);

    /** Wakes the listeners, because the earliest due time became earlier. */
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

  /**
   * Makes the messages claimable, except messages that were removed or changed since, and wakes the
   * listeners of each queue whose earliest due time became earlier.
   */
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
