package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RecordTableTest {
  private record Found(long location, int length) {}

  @Test
  void changes_atRandom_areThoseOfAMap() {
    Random random = new Random(23);
    RecordTable table = new RecordTable();
    Map<Integer, Found> model = new HashMap<>();
    for (int step = 0; step < 400_000; step++) {
      int slot = random.nextInt(20_000) * (1 + random.nextInt(3));
      if (random.nextInt(5) < 3) {
        Found found = new Found(random.nextLong(), random.nextInt());
        table.put(slot, found.location(), found.length());
        model.put(slot, found);
      } else if (model.remove(slot) != null) {
        table.remove(slot);
      }
    }
    assertThat(model).hasSizeGreaterThan(10_000);
    model.forEach(
        (slot, found) ->
            assertThat(new Found(table.location(slot), table.length(slot))).isEqualTo(found));
  }
}
