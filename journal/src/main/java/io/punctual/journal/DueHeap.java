package io.punctual.journal;

import java.util.Arrays;

/** A binary heap of slots by time, then by arrival, in primitive arrays. */
final class DueHeap {
  private long[] millis = new long[64];
  private long[] arrivals = new long[64];
  private int[] slots = new int[64];
  private int size;

  /** Whether an entry still means something. */
  @FunctionalInterface
  interface Validity {
    boolean test(long millis, int slot);
  }

  int size() {
    return size;
  }

  long firstMillis() {
    return millis[0];
  }

  int firstSlot() {
    return slots[0];
  }

  void add(long time, long arrival, int slot) {
    if (size == slots.length) {
      resize(size * 2);
    }
    int gap = size++;
    while (gap > 0) {
      int parent = (gap - 1) / 2;
      if (!isBefore(time, arrival, parent)) {
        break;
      }
      move(parent, gap);
      gap = parent;
    }
    put(gap, time, arrival, slot);
  }

  void removeFirst() {
    size--;
    siftDown(0, millis[size], arrivals[size], slots[size]);
    if (slots.length > 4096 && size < slots.length / 4) {
      resize(slots.length / 2);
    }
  }

  /** Drops every entry that means nothing any more. */
  void retain(Validity validity) {
    int before = size;
    size = 0;
    for (int i = 0; i < before; i++) {
      if (validity.test(millis[i], slots[i])) {
        add(millis[i], arrivals[i], slots[i]);
      }
    }
  }

  private void siftDown(int from, long time, long arrival, int slot) {
    int gap = from;
    while (2 * gap + 1 < size) {
      int child = 2 * gap + 1;
      if (child + 1 < size && isBefore(millis[child + 1], arrivals[child + 1], child)) {
        child++;
      }
      if (isBefore(time, arrival, child)) {
        break;
      }
      move(child, gap);
      gap = child;
    }
    put(gap, time, arrival, slot);
  }

  private boolean isBefore(long time, long arrival, int index) {
    return time < millis[index] || (time == millis[index] && arrival < arrivals[index]);
  }

  private void move(int from, int to) {
    put(to, millis[from], arrivals[from], slots[from]);
  }

  private void put(int index, long time, long arrival, int slot) {
    millis[index] = time;
    arrivals[index] = arrival;
    slots[index] = slot;
  }

  private void resize(int length) {
    millis = Arrays.copyOf(millis, length);
    arrivals = Arrays.copyOf(arrivals, length);
    slots = Arrays.copyOf(slots, length);
  }
}
