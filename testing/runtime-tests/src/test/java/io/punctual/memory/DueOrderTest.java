package io.punctual.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DueOrderTest {
  private static final Comparator<Item> ORDER =
      Comparator.<Item>comparingLong(item -> item.time).thenComparingLong(item -> item.arrival);

  private final ItemTable items = new ItemTable();
  private final List<Item> model = new ArrayList<>();
  private long arrivals;

  @ParameterizedTest
  @ValueSource(longs = {0, -1, 1_700_000_000_000L, Long.MIN_VALUE / 2, Long.MAX_VALUE / 2})
  void firstDue_clockRunsOn_isTheEarliestOfASortedListThenTheFirstToArrive(long start) {
    DueOrder order = new DueOrder(items, start);
    Random random = new Random(start);
    long now = start;
    for (int step = 0; step < 30_000; step++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> add(order, now + spread(random));
        case 2 -> removeAny(order, random);
        case 3 -> now += random.nextInt(3) * (1L << random.nextInt(random.nextBoolean() ? 4 : 24));
        default -> claimSome(order, now, random.nextInt(20), ORDER);
      }
      assertThat(order.earliest()).isLessThanOrEqualTo(earliestOfModel());
    }
    claimSome(order, Long.MAX_VALUE - 1, Integer.MAX_VALUE, ORDER);
    assertThat(model).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void firstDue_clockStepsBackAndForth_isNeverEarlyAndLosesNothing(long seed) {
    DueOrder order = new DueOrder(items, 0);
    Random random = new Random(seed);
    long now = 0;
    for (int step = 0; step < 30_000; step++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> add(order, now + spread(random));
        case 2 -> removeAny(order, random);
        case 3 -> now += spread(random);
        default -> claimSome(order, now, random.nextInt(20), byTime());
      }
      assertThat(order.earliest()).isLessThanOrEqualTo(earliestOfModel());
    }
    claimSome(order, Long.MAX_VALUE - 1, Integer.MAX_VALUE, byTime());
    assertThat(model).isEmpty();
  }

  @Test
  void earliest_nothingCancelled_isExact() {
    DueOrder order = new DueOrder(items, 0);
    Random random = new Random(5);
    long now = 0;
    for (int step = 0; step < 10_000; step++) {
      if (random.nextBoolean()) {
        add(order, now + spread(random));
      } else {
        now += random.nextInt(100_000);
        claimSome(order, now, Integer.MAX_VALUE, ORDER);
      }
      assertThat(order.earliest()).isEqualTo(earliestOfModel());
    }
  }

  @Test
  void firstDue_moreInOneCoarseBucketThanItSortsAtOnce_isCutShortAndGoesOn() {
    DueOrder order = new DueOrder(items, 0);
    int count = 400_000;
    long due = 1L << 36;
    for (int i = 0; i < count; i++) {
      add(order, due + 1 + i % 1_000);
    }
    long now = due + 5_000;
    int cutShort = 0;
    Item first = order.firstDue(now);
    while (first == null) {
      assertThat(order.earliest()).isLessThanOrEqualTo(now);
      cutShort++;
      first = order.firstDue(now);
    }
    assertThat(cutShort).isPositive();
    assertThat(first.time).isEqualTo(due + 1);
    assertThat(first.arrival).isEqualTo(1);
  }

  private void add(DueOrder order, long time) {
    Item item = items.create("m" + arrivals, Content.of(new byte[0]));
    items.add(item);
    item.arrival = ++arrivals;
    items.put(item, Place.WAITING, time);
    order.add(item);
    model.add(item);
  }

  private void removeAny(DueOrder order, Random random) {
    if (!model.isEmpty()) {
      remove(order, model.get(random.nextInt(model.size())));
    }
  }

  private void remove(DueOrder order, Item item) {
    order.remove(item);
    items.remove(item);
    model.remove(item);
  }

  private void claimSome(DueOrder order, long now, int limit, Comparator<Item> by) {
    for (int i = 0; i < limit; i++) {
      Item first = order.firstDue(now);
      Item expected = model.stream().min(by).filter(item -> item.time <= now).orElse(null);
      if (expected == null) {
        assertThat(first).isNull();
        return;
      }
      assertThat(first).isNotNull().usingComparator(by).isEqualTo(expected);
      remove(order, first);
    }
  }

  private long earliestOfModel() {
    return model.stream().mapToLong(item -> item.time).min().orElse(Long.MAX_VALUE);
  }

  private static Comparator<Item> byTime() {
    return Comparator.comparingLong(item -> item.time);
  }

  /** Returns a random distance in time: near or far, in the future or in the past. */
  private static long spread(Random random) {
    long distance =
        random.nextBoolean() ? random.nextInt(15) : random.nextLong() >>> (30 + random.nextInt(34));
    return random.nextInt(4) == 0 ? -distance : distance;
  }
}
