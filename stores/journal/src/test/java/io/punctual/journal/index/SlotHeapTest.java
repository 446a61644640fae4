package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SlotHeapTest {
  private static final int SLOTS = 500;

  private final long[] millis = new long[SLOTS];
  private final SlotHeap heap = new SlotHeap(slot -> millis[slot], 64);

  @Test
  void remove_slotsThatComeBackAgainAndAgain_entriesStayWithinTwiceTheSlots() {
    for (int round = 0; round < 300; round++) {
      for (int slot = 0; slot < SLOTS; slot++) {
        boolean unused = heap.remove(slot);
        millis[slot] = 1_000_000L + round;
        heap.add(slot);
      }
    }
    assertThat(heap.entries()).isLessThanOrEqualTo(2 * (64 + SLOTS));

    for (int slot = 0; slot < SLOTS; slot++) {
      assertThat(heap.remove(slot)).isTrue();
    }
    assertThat(heap.entries()).isLessThanOrEqualTo(2 * 64);
    assertThat(heap.first(Long.MAX_VALUE)).isEqualTo(SlotTable.NONE);
  }

  @Test
  void first_afterChangesAtRandom_isTheEarliest() {
    Random random = new Random(7);
    TreeMap<Long, Integer> model = new TreeMap<>();
    for (int step = 0; step < 100_000; step++) {
      int slot = random.nextInt(SLOTS);
      if (heap.remove(slot)) {
        model.remove(millis[slot]);
      }
      long time = random.nextLong(1_000_000);
      if (random.nextInt(3) > 0 && !model.containsKey(time)) {
        millis[slot] = time;
        heap.add(slot);
        model.put(time, slot);
      }
      long now = random.nextLong(1_000_000);
      boolean isDue = !model.isEmpty() && model.firstKey() <= now;
      assertThat(heap.first(now)).isEqualTo(isDue ? model.get(model.firstKey()) : SlotTable.NONE);
    }
  }
}
