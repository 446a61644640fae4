package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.Content;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ItemHeapTest {
  private static final Comparator<Item> ORDER =
      Comparator.<Item>comparingLong(item -> item.time).thenComparingLong(item -> item.arrival);

  private final ItemHeap heap = new ItemHeap();

  @Test
  void first_empty_isNull() {
    assertThat(heap.first()).isNull();
  }

  @Test
  void remove_theOnlyItem_leavesItEmptyAndReleasesTheItem() {
    Item item = item(1, 5);
    heap.add(item);
    heap.remove(item);
    assertThat(heap.first()).isNull();
    assertThat(item.heapIndex).isEqualTo(ItemHeap.NOWHERE);
    heap.add(item);
    assertThat(heap.first()).isSameAs(item);
  }

  @Test
  void first_randomAddsAndRemoves_isAlwaysTheLeastOfASortedList() {
    Random random = new Random(7);
    List<Item> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      // The heap grows and shrinks in turns, so that it is often nearly empty.
      boolean grow = random.nextInt(10) < (step / 1_000 % 2 == 0 ? 7 : 3);
      if (grow || model.isEmpty()) {
        Item item = item(step, random.nextInt(50));
        heap.add(item);
        model.add(item);
      } else {
        heap.remove(model.remove(random.nextInt(model.size())));
      }
      assertThat(heap.first()).isSameAs(model.stream().min(ORDER).orElse(null));
    }
  }

  private static Item item(int arrival, long time) {
    Item item = new Item("m" + arrival, 0, arrival, Content.of(new byte[0]));
    item.time = time;
    item.arrival = arrival;
    return item;
  }
}
