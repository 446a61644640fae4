package io.punctual.internal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.ShareLedger;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Plans for a queue with four partitions. */
final class SharePlanTest {
  private static final int PARTITIONS = 4;
  private static final QueueLimits PLACES = QueueLimits.none().concurrency(10);
  private static final QueueLimits RATE = QueueLimits.none().rate(100, Duration.ofSeconds(1), 20);

  private final SortedMap<Integer, LimitUse> uses = new TreeMap<>();
  private final Map<Integer, LimitUse> before = new TreeMap<>();
  private long nowMicros = 1_800_000_000_000_000L;

  @BeforeEach
  void begin() {
    for (int index = 0; index < PARTITIONS; index++) {
      uses.put(
          index, new LimitUse(PLACES, ShareLedger.empty(index), nowMicros, 0, 0, 0, false, false));
    }
  }

  /**
   * Replaces the {@link LimitUse} of a partition, as if the use had been read half a second later.
   */
  private void look(int index, QueueLimits limits, boolean isShort, long leased, long delivered) {
    LimitUse use = use(index);
    before.put(index, use);
    long full = isShort && limits.hasRate() ? nowMicros + 3_600_000_000L : 0;
    uses.put(
        index,
        new LimitUse(
            limits,
            use.ledger(),
            nowMicros + 500_000,
            full,
            use.delivered() + delivered,
            leased,
            isShort,
            false));
  }

  private LimitUse use(int index) {
    LimitUse use = uses.get(index);
    assertThat(use).isNotNull();
    return use;
  }

  private Map<Integer, ShareLedger> plan() {
    SharePlan plan = new SharePlan(PARTITIONS, new TreeMap<>(uses));
    plan.give(new ShareNeeds(PARTITIONS, uses, before));
    return plan.changes();
  }

  /**
   * Replaces the ledgers in {@link #uses}, as {@link io.punctual.spi.Partition#moveShares} does.
   */
  private void replace(Map<Integer, ShareLedger> ledgers) {
    ledgers.forEach(
        (index, ledger) ->
            uses.computeIfPresent(
                index,
                (key, use) ->
                    new LimitUse(
                        use.limits(),
                        ledger,
                        use.engineMicros(),
                        use.fullMicros(),
                        use.delivered(),
                        use.leased(),
                        use.hasDue(),
                        use.hasExpired())));
  }

  private int places(int index) {
    return LimitShare.of(PLACES, use(index).ledger(), PARTITIONS).concurrency();
  }

  private void run() {
    replace(plan());
    replace(new SharePlan(PARTITIONS, new TreeMap<>(uses)).changes());
  }

  @Test
  void give_noShareKeepsAMessage_changesNothing() {
    look(0, PLACES, false, 2, 50);
    assertThat(plan()).isEmpty();
  }

  @Test
  void give_onePartitionWithMessages_receivesAllPlaces() {
    look(0, PLACES, false, 0, 0);
    look(1, PLACES, true, 2, 50);
    look(2, PLACES, false, 0, 0);
    look(3, PLACES, false, 0, 0);
    run();
    assertThat(places(1)).isEqualTo(10);
    assertThat(places(0) + places(2) + places(3)).isZero();
  }

  @Test
  void give_placesOfTheGiverAreLeased_areReceivedWhenTheyAreFree() {
    look(0, PLACES, true, 2, 50);
    look(1, PLACES, false, 0, 0);
    look(2, PLACES, false, 0, 0);
    look(3, PLACES, false, 0, 0);
    run();
    look(0, PLACES, true, 10, 50);
    look(1, PLACES, true, 0, 0);
    run();
    assertThat(places(0)).isEqualTo(5);
    assertThat(places(1)).as("while 10 messages are leased in partition 0").isZero();
    look(0, PLACES, true, 6, 50);
    run();
    assertThat(places(0)).as("no further places are given").isEqualTo(5);
    assertThat(places(1)).isZero();
    look(0, PLACES, true, 5, 50);
    run();
    assertThat(places(1)).isEqualTo(5);
  }

  @Test
  void give_somePartitionsUseAPartOfTheirRate_keepSomewhatMore() {
    look(0, RATE, true, 0, 12);
    look(1, RATE, false, 0, 5);
    look(2, RATE, false, 0, 0);
    look(3, RATE, false, 0, 0);
    run();
    double all = LimitShare.UNITS * PARTITIONS;
    assertThat(use(0).ledger().rate().units() / all).isBetween(0.84, 0.86);
    assertThat(use(1).ledger().rate().units() / all).isBetween(0.14, 0.16);
    assertThat(use(2).ledger().rate().units()).isZero();
  }

  @Test
  void give_allPartitionsAreShort_shareEvenly() {
    look(0, PLACES, true, 2, 50);
    for (int index = 1; index < PARTITIONS; index++) {
      look(index, PLACES, false, 0, 0);
    }
    run();
    for (int runs = 0; runs < 2; runs++) {
      for (int index = 0; index < PARTITIONS; index++) {
        look(index, PLACES, true, Math.min(2, places(index)), 50);
      }
      run();
    }
    for (int index = 0; index < PARTITIONS; index++) {
      assertThat(places(index)).isBetween(2, 3);
    }
  }

  @Test
  void randomStepsAreLost_sharesNeverExceedTheLimits() {
    Random random = new Random(11);
    for (int step = 0; step < 5_000; step++) {
      int busy = random.nextInt(PARTITIONS);
      for (int index = 0; index < PARTITIONS; index++) {
        int leased = random.nextInt(places(index) + 1);
        boolean isShort = index == busy && leased == places(index);
        look(index, PLACES, isShort, leased, isShort ? 5 : 0);
      }
      nowMicros += 500_000;
      Map<Integer, ShareLedger> changes = plan();
      changes.keySet().removeIf(index -> random.nextInt(4) == 0);
      replace(changes);
      if (random.nextBoolean()) {
        replace(new SharePlan(PARTITIONS, new TreeMap<>(uses)).changes());
      }
      int sum = 0;
      for (int index = 0; index < PARTITIONS; index++) {
        sum += places(index);
      }
      assertThat(sum).as("places after step %d", step).isLessThanOrEqualTo(10);
    }
    assertThat(uses.values()).anyMatch(use -> !use.ledger().places().given().isEmpty());
  }
}
