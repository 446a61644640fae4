package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the table with a list, for hashes that are equal in all or some of their bits. */
final class IdTableTest {
  private final SlotTable slots = new SlotTable();
  private final IdTable ids = new IdTable(slots);
  private final List<Integer> model = new ArrayList<>();
  private long sequence;

  private Set<Integer> found(int hash) {
    Set<Integer> found = new HashSet<>();
    IdTable.Matches matches = ids.matches(hash);
    for (int slot = matches.next(); slot != SlotTable.NONE; slot = matches.next()) {
      assertThat(found.add(slot)).as("each slot once").isTrue();
    }
    return found;
  }

  private void add(int hash) {
    int slot = slots.add(sequence, 100, ++sequence, hash);
    ids.add(slot);
    model.add(slot);
  }

  private void remove(int index) {
    int slot = model.set(index, model.get(model.size() - 1));
    model.remove(model.size() - 1);
    ids.remove(slot);
    slots.free(slot);
  }

  private void expectSame(int hash) {
    Set<Integer> expected = new TreeSet<>();
    for (int slot : model) {
      if (slots.hash(slot) == hash) {
        expected.add(slot);
      }
    }
    assertThat(found(hash)).isEqualTo(expected);
  }

  @Test
  void matches_allHashesEqual_findsEachAndOnlyThoseLeft() {
    for (int i = 0; i < 1000; i++) {
      add(-1);
    }
    expectSame(-1);
    Random random = new Random(1);
    while (!model.isEmpty()) {
      remove(random.nextInt(model.size()));
      if (model.size() % 50 == 0) {
        expectSame(-1);
      }
    }
    assertThat(found(-1)).isEmpty();
  }

  /**
   * Each mask leaves some or all bits of a hash. The hashes then belong to a single part of the
   * table, wrap around at its end, or lead to entries with equal upper bits.
   */
  @ParameterizedTest
  @ValueSource(ints = {0x0000_000F, 0x0000_00FF, 0x007F_FFF0, 0xFF80_0000, 0x0000_FFFF, -1})
  void changes_atRandom_areThoseOfAList(int mask) {
    Random random = new Random(mask);
    for (int step = 0; step < 20_000; step++) {
      if (model.isEmpty() || random.nextInt(5) < (model.size() < 500 ? 4 : 1)) {
        add((random.nextInt() | 0x007F_FF00) & mask);
      } else {
        remove(random.nextInt(model.size()));
      }
      if (step % 100 == 0) {
        for (int i = 0; i < Math.min(20, model.size()); i++) {
          expectSame(slots.hash(model.get(random.nextInt(model.size()))));
        }
        expectSame(random.nextInt() & mask);
      }
    }
  }
}
