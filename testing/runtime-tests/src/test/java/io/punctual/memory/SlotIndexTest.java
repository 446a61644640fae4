package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares the index with a map of sets. */
class SlotIndexTest {
  private final SlotIndex index = new SlotIndex();

  private Set<Integer> slots(int hash) {
    Set<Integer> found = new TreeSet<>();
    for (int at = index.first(hash); at != SlotIndex.NONE; at = index.next(hash, at)) {
      assertThat(found.add(index.slot(at))).isTrue();
    }
    return found;
  }

  /** Uses few hashes, whose positions are adjacent and cross the end of the array. */
  @Test
  void addAndRemove_hashesThatCollide_findsExactlyWhatIsThere() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Map<Integer, Set<Integer>> model = new HashMap<>();
      for (int slot = 0; slot < 150; slot++) {
        int hash = random.nextInt(24) - 12;
        index.add(hash, slot);
        model.computeIfAbsent(hash, unused -> new TreeSet<>()).add(slot);
      }
      for (int slot = 0; slot < 150; slot++) {
        int removed = slot;
        for (Map.Entry<Integer, Set<Integer>> entry : model.entrySet()) {
          if (random.nextInt(4) > 0 && entry.getValue().remove(removed)) {
            index.remove(entry.getKey(), removed);
          }
        }
        if (slot % 10 == 0) {
          model.forEach((hash, slots) -> assertThat(slots(hash)).isEqualTo(slots));
        }
      }
      model.forEach((hash, slots) -> assertThat(slots(hash)).isEqualTo(slots));
      model.forEach((hash, slots) -> slots.forEach(slot -> index.remove(hash, slot)));
    }
  }

  @Test
  void add_manyHashes_allAreFoundAfterItGrew() {
    Random random = new Random(1);
    List<Integer> hashes = new ArrayList<>();
    for (int slot = 0; slot < 20_000; slot++) {
      hashes.add(random.nextInt());
      index.add(hashes.get(slot), slot);
    }
    for (int slot = 0; slot < 20_000; slot++) {
      assertThat(slots(hashes.get(slot))).contains(slot);
    }
    assertThat(index.first(random.nextInt())).isEqualTo(SlotIndex.NONE);
  }
}
