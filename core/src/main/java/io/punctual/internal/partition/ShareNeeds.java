package io.punctual.internal.partition;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.ShareLedger.Kind;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Divides the limits of a queue among its partitions by their use. A partition whose share prevents
 * the claim of a message needs the whole limit. A partition that is not used needs nothing, and a
 * used partition needs somewhat more than it uses. A partition whose earlier use is unknown needs
 * at least half of its share. If the sum of the needs exceeds the limit, small needs are met in
 * full, and the partitions with larger needs get equal parts of the remainder. Used by one thread.
 */
final class ShareNeeds {
  /**
   * Two readings of a partition's use are compared only if the time between them is at most this,
   * in microseconds.
   */
  private static final long RECENT_MICROS = 2_000_000;

  /** The need of a partition for the rate, as a multiple of the rate that it uses. */
  private static final double SPARE = 1.5;

  /**
   * The smallest increase of a partition's share of the rate that is worth a transfer, as a part of
   * the present share.
   */
  private static final double SMALLEST_PART = 0.02;

  private final int partitions;
  private final SortedMap<Integer, LimitUse> uses;
  private final Map<Integer, LimitUse> before;

  /**
   * Creates the needs that follow from these uses.
   *
   * @param partitions the queue's number of partitions
   * @param uses the present uses of the partitions that answered, by index
   * @param before the previous uses, by index
   */
  ShareNeeds(int partitions, SortedMap<Integer, LimitUse> uses, Map<Integer, LimitUse> before) {
    this.partitions = partitions;
    this.uses = uses;
    this.before = before;
  }

  /**
   * Returns the share that each partition should have, in units as in {@link LimitShare#UNITS};
   * empty if no share prevents a claim.
   *
   * @param held the present units of each partition
   */
  SortedMap<Integer, Long> targets(Kind kind, SortedMap<Integer, Long> held) {
    if (uses.values().stream()
        .noneMatch(use -> kind == Kind.RATE ? lacksRate(use) : lacksPlace(use))) {
      return new TreeMap<>();
    }
    SortedMap<Integer, Double> needs = new TreeMap<>();
    held.forEach((index, units) -> needs.put(index, need(kind, index, units)));
    double total = held.values().stream().mapToDouble(Long::doubleValue).sum();
    return kind == Kind.RATE
        ? rateTargets(needs, held, total)
        : placeTargets(needs, total, lowestConcurrency());
  }

  /**
   * Returns the lowest concurrency that a partition has as its limit, because a change of the
   * limits may not have reached all partitions.
   */
  private int lowestConcurrency() {
    return uses.values().stream()
        .map(LimitUse::limits)
        .filter(QueueLimits::hasConcurrency)
        .mapToInt(QueueLimits::concurrency)
        .min()
        .orElse(1);
  }

  private double need(Kind kind, int index, long units) {
    LimitUse use = uses.get(index);
    if (use == null) {
      return units;
    }
    return kind == Kind.RATE ? rateNeed(index, use, units) : placeNeed(index, use, units);
  }

  private LimitShare share(LimitUse use) {
    return LimitShare.of(use.limits(), use.ledger(), partitions);
  }

  private boolean lacksPlace(LimitUse use) {
    return use.hasDue() && use.leased() >= share(use).concurrency();
  }

  private boolean lacksRate(LimitUse use) {
    boolean canHavePlace = use.leased() == 0 || use.leased() < share(use).concurrency();
    return (use.hasExpired() || (use.hasDue() && canHavePlace))
        && share(use).available(use.fullMicros(), use.engineMicros()) == 0;
  }

  /**
   * Returns the previous use of a partition; null if there is none that is recent enough for a
   * comparison.
   */
  private @Nullable LimitUse previous(int index, LimitUse use) {
    LimitUse previous = before.get(index);
    return previous != null
            && previous.ledger().born() == use.ledger().born()
            && use.engineMicros() > previous.engineMicros()
            && use.engineMicros() - previous.engineMicros() <= RECENT_MICROS
        ? previous
        : null;
  }

  /** Returns the need of a partition for the rate, in units. */
  private double rateNeed(int index, LimitUse use, long units) {
    if (lacksRate(use)) {
      return all();
    }
    if (!use.limits().hasRate()) {
      return 0;
    }
    boolean isIdle = !use.hasDue() && !use.hasExpired();
    LimitUse previous = previous(index, use);
    if (previous == null) {
      return isIdle && use.fullMicros() <= use.engineMicros() ? units / 2.0 : units;
    }
    long delivered = use.delivered() - previous.delivered();
    if (delivered == 0 && isIdle) {
      return 0;
    }
    double perMicro = delivered / (double) (use.engineMicros() - previous.engineMicros());
    double part = perMicro * LimitShare.micros(use.limits().per()) / use.limits().rate();
    double oneToken = all() / use.limits().burst() + 1;
    return Math.max(oneToken, SPARE * part * all());
  }

  /** Returns the need of a partition for the concurrency, in places. */
  private double placeNeed(int index, LimitUse use, long units) {
    if (lacksPlace(use)) {
      return use.limits().concurrency();
    }
    if (!use.limits().hasConcurrency()) {
      return 0;
    }
    LimitUse previous = previous(index, use);
    long places = share(use).concurrency();
    boolean wasUsed = previous == null ? units > 0 : use.delivered() > previous.delivered();
    double few = use.leased() > 0 || use.hasDue() || wasUsed ? 2 * use.leased() + 1 : 0;
    return previous == null ? Math.max(few, Math.ceil(places / 2.0)) : few;
  }

  private double all() {
    return (double) LimitShare.UNITS * partitions;
  }

  private SortedMap<Integer, Long> rateTargets(
      SortedMap<Integer, Double> needs, SortedMap<Integer, Long> held, double total) {
    SortedMap<Integer, Long> targets = new TreeMap<>();
    divide(needs, total, false)
        .forEach(
            (index, units) -> {
              long present = held.getOrDefault(index, 0L);
              boolean isLittle = units > present && units - present < SMALLEST_PART * present;
              targets.put(index, isLittle ? present : (long) Math.floor(units));
            });
    return targets;
  }

  private SortedMap<Integer, Long> placeTargets(
      SortedMap<Integer, Double> needs, double total, int concurrency) {
    SortedMap<Integer, Long> targets = new TreeMap<>();
    divide(needs, Math.floor(concurrency * total / all()), true)
        .forEach(
            (index, places) -> {
              long units = LimitShare.unitsOfPlaces(places.longValue(), concurrency, partitions);
              targets.put(index, units);
            });
    return targets;
  }

  /**
   * Divides an amount. Small needs are met first. An amount beyond the sum of the needs is divided
   * evenly among all partitions.
   */
  private static SortedMap<Integer, Double> divide(
      SortedMap<Integer, Double> needs, double amount, boolean inWholeNumbers) {
    List<Map.Entry<Integer, Double>> order =
        needs.entrySet().stream()
            .sorted(Comparator.comparingDouble(Map.Entry<Integer, Double>::getValue))
            .toList();
    SortedMap<Integer, Double> parts = new TreeMap<>();
    double left = amount;
    for (int i = 0; i < order.size(); i++) {
      double even = left / (order.size() - i);
      double part = Math.min(order.get(i).getValue(), inWholeNumbers ? Math.floor(even) : even);
      parts.put(order.get(i).getKey(), part);
      left -= part;
    }
    for (int i = 0; i < order.size(); i++) {
      double even = left / (order.size() - i);
      double part = inWholeNumbers ? Math.floor(even) : even;
      parts.merge(order.get(i).getKey(), part, Double::sum);
      left -= part;
    }
    return parts;
  }
}
