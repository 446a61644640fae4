package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DueHeapTest {
  private record Item(long millis, long arrival, int slot) {
    static final Comparator<Item> ORDER =
        Comparator.comparingLong(Item::millis).thenComparingLong(Item::arrival);
  }

  private final Random random = new Random(5);
  private final DueHeap heap = new DueHeap();

  private Item first() {
    return new Item(heap.firstMillis(), heap.firstArrival(), heap.firstSlot());
  }

  /**
   * Compares the heap with a priority queue while it grows and shrinks several times. Some times
   * are equal, and some are the lowest and highest possible.
   */
  @Test
  void addAndRemove_atRandom_comeOutAsFromAPriorityQueue() {
    PriorityQueue<Item> model = new PriorityQueue<>(Item.ORDER);
    long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE, 0};
    for (int step = 0; step < 300_000; step++) {
      boolean grows = step / 30_000 % 2 == 0;
      if (model.isEmpty() || random.nextInt(10) < (grows ? 7 : 3)) {
        long millis = random.nextInt(50) == 0 ? ends[random.nextInt(3)] : random.nextInt(1000);
        Item item = new Item(millis, step, random.nextInt());
        heap.add(item.millis, item.arrival, item.slot);
        model.add(item);
      } else {
        assertThat(first()).isEqualTo(model.poll());
        heap.removeFirst();
      }
      assertThat(heap.size()).isEqualTo(model.size());
    }
    while (!model.isEmpty()) {
      assertThat(first()).isEqualTo(model.poll());
      heap.removeFirst();
    }
  }

  @Test
  void retain_some_theOthersAreGoneAndTheOrderStays() {
    List<Item> kept = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Item item = new Item(random.nextInt(500), i, i);
      heap.add(item.millis, item.arrival, item.slot);
      if (i % 3 == 0) {
        kept.add(item);
      }
    }
    heap.retain((millis, slot) -> slot % 3 == 0);
    kept.sort(Item.ORDER);
    for (Item item : kept) {
      assertThat(first()).isEqualTo(item);
      heap.removeFirst();
    }
    assertThat(heap.size()).isZero();
  }
}
