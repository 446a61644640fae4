package io.punctual.journal.index;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DueOrderTest {
  private static final int OVERDUE = 100_000;
  private static final long NOW = 1_800_000_000_000L;

  private final Random random = new Random(9);
  private final DueOrder order = new DueOrder(NOW);

  private long due(String pattern, int slot) {
    return switch (pattern) {
      case "rising" -> NOW - OVERDUE + slot;
      case "falling" -> NOW - slot;
      case "same" -> 0;
      case "first of all" -> Long.MIN_VALUE;
      default -> random.nextLong(NOW);
    };
  }

  /**
   * The slots of an overdue backlog come out in the order of their times. None is lost or early,
   * and the heap stays small.
   */
  @ParameterizedTest
  @ValueSource(strings = {"rising", "falling", "same", "first of all", "random"})
  void overdueBacklog_handedOver_inOrderOfTime(String pattern) {
    for (int slot = 0; slot < OVERDUE; slot++) {
      order.set(slot, due(pattern, slot));
      order.add(slot);
    }
    order.set(OVERDUE, NOW + 1);
    order.add(OVERDUE);
    assertThat(order.readySize()).isLessThan(20_000);
    long last = Long.MIN_VALUE;
    for (int i = 0; i < OVERDUE; i++) {
      int slot = order.first(NOW);
      assertThat(slot).isNotEqualTo(SlotTable.NONE);
      assertThat(order.millis(slot)).isGreaterThanOrEqualTo(last);
      last = order.millis(slot);
      order.remove(slot);
    }
    assertThat(order.first(NOW)).isEqualTo(SlotTable.NONE);
    assertThat(order.first(NOW + 1)).isEqualTo(OVERDUE);
  }

  /** The heap drops outdated entries while slots have both outdated and valid entries. */
  @Test
  void set_overdueSlotsAgainAndAgain_noneIsLostWhenOutdatedEntriesAreDropped() {
    for (int slot = 0; slot < 10; slot++) {
      order.set(slot, NOW - OVERDUE);
      order.add(slot);
    }
    int before;
    int step = 0;
    do {
      before = order.readySize();
      int slot = 5 + step % 2;
      order.set(slot, NOW - OVERDUE + ++step);
      order.add(slot);
    } while (order.readySize() > before);

    for (int i = 0; i < 10; i++) {
      int slot = order.first(NOW);
      assertThat(slot).isNotEqualTo(SlotTable.NONE);
      order.remove(slot);
    }
  }

  @Test
  void changes_atRandomAroundABacklog_firstIsTheEarliest() {
    Map<Integer, Long> model = new HashMap<>();
    long now = NOW;
    for (int slot = 0; slot < 40_000; slot++) {
      add(model, slot, now - random.nextInt(1_000_000));
    }
    for (int step = 0; step < 20_000; step++) {
      now += random.nextInt(20) - 3;
      int slot = random.nextInt(60_000);
      if (random.nextInt(3) == 0) {
        if (model.remove(slot) != null) {
          order.remove(slot);
        }
      } else {
        add(model, slot, now + random.nextInt(2_000_000) - 1_500_000);
      }
      if (step % 400 == 0) {
        long earliest = model.values().stream().mapToLong(due -> due).min().orElseThrow();
        int first = order.first(now);
        assertThat(model.get(first)).isEqualTo(earliest);
        order.remove(first);
        model.remove(first);
      }
    }
  }

  private void add(Map<Integer, Long> model, int slot, long due) {
    model.put(slot, due);
    order.set(slot, due);
    order.add(slot);
  }
}
