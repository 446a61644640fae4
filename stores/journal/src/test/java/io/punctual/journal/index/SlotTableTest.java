package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.embedded.Place;
import io.punctual.journal.format.Location;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares the table with a map of records. */
final class SlotTableTest {
  private record Row(
      long location, int length, long sequence, int hash, Place place, int number, boolean has) {}

  private final SlotTable slots = new SlotTable();

  private Row row(int slot) {
    return new Row(
        slots.location(slot),
        slots.length(slot),
        slots.sequence(slot),
        slots.hash(slot),
        slots.place(slot),
        slots.number(slot),
        slots.hasRecord(slot));
  }

  @Test
  void add_extremeValues_areKept() {
    long location = Location.of(Integer.MAX_VALUE, Integer.MAX_VALUE);
    int slot = slots.add(location, Integer.MAX_VALUE, Long.MAX_VALUE, -1);
    slots.place(slot, Place.DEAD, (1 << 28) - 1);
    slots.hasRecord(slot, true);
    assertThat(row(slot))
        .isEqualTo(
            new Row(
                location, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Place.DEAD, (1 << 28) - 1, true));
  }

  @Test
  void free_slot_isEmptyAndTheNextToBeUsed() {
    int first = slots.add(1, 2, 3, 4);
    int second = slots.add(5, 6, 7, 8);
    slots.hasRecord(first, true);
    slots.free(first);
    assertThat(slots.place(first)).isEqualTo(Place.FREE);
    assertThat(slots.sequence(first)).isZero();
    assertThat(slots.hasRecord(first)).isFalse();
    slots.free(second);
    assertThat(slots.add(9, 9, 9, 9)).isEqualTo(second);
    assertThat(slots.add(9, 9, 9, 9)).isEqualTo(first);
    assertThat(slots.end()).isEqualTo(2);
  }

  @Test
  void changes_atRandom_areThoseOfAMap() {
    Random random = new Random(29);
    Map<Integer, Row> model = new HashMap<>();
    List<Integer> used = new ArrayList<>();
    for (int step = 0; step < 200_000; step++) {
      if (used.isEmpty() || random.nextInt(5) < 3) {
        Row row =
            new Row(
                random.nextLong(),
                random.nextInt() & Integer.MAX_VALUE,
                random.nextLong() | 1,
                random.nextInt(),
                Place.withCode(1 + random.nextInt(3)),
                random.nextInt(1 << 28),
                random.nextBoolean());
        int slot = slots.add(row.location, row.length, row.sequence, row.hash);
        slots.place(slot, row.place, row.number);
        slots.hasRecord(slot, row.has);
        assertThat(model.put(slot, row)).isNull();
        used.add(slot);
      } else {
        int index = random.nextInt(used.size());
        int slot = used.set(index, used.get(used.size() - 1));
        used.remove(used.size() - 1);
        assertThat(row(slot)).isEqualTo(model.remove(slot));
        slots.free(slot);
      }
    }
    assertThat(slots.size()).isEqualTo(model.size());
    model.forEach((slot, row) -> assertThat(row(slot)).isEqualTo(row));
  }
}
