package io.punctual.internal.worker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shares the permits of a pool among its claimers: each permit allows one call of the handler. A
 * {@link WorkerPrefetch} shares its room in the same way: each permit then is room for one message.
 * A claimer that finds fewer permits than it needs waits in a line. While claimers wait in the
 * line, other claimers take only a share of the free permits, and at least one permit. Not
 * thread-safe.
 *
 * @param <C> a claimer
 */
final class Permits<C> {
  /** The claimers in the line, each with the smallest number of permits that it accepts. */
  private final Map<C, Integer> line = new LinkedHashMap<>();

  private int free;

  /**
   * The number of large claims in flight: claims whose claimer preferred a short wait to few
   * permits.
   */
  private int largeClaims;

  /**
   * Whether the first claimer in the line has waited long enough, and accepts any number of
   * permits.
   */
  private boolean acceptsFewer;

  /**
   * The claimer that {@link #pollTurn} returned last, if it was the first in the line and has not
   * taken permits since.
   */
  private @Nullable C called;

  Permits(int free) {
    this.free = free;
  }

  /**
   * Takes a share of the free permits, at most {@code most}. If fewer than {@code least} permits
   * are free, puts the claimer in the line and returns 0. It does the same if {@code most} is 0, or
   * if {@code least} is more than one and a large claim is in flight. After {@link #acceptFewer},
   * the first claimer in the line takes any number of permits.
   */
  int take(C claimer, int least, int most) {
    boolean first = claimer.equals(called) || (!line.isEmpty() && claimer.equals(first().getKey()));
    boolean enough = (acceptsFewer && first) ? free > 0 : isEnough(least);
    if (most == 0 || !enough) {
      line.putIfAbsent(claimer, least);
      return 0;
    }
    line.remove(claimer);
    if (first) {
      acceptsFewer = false;
      called = null;
    }
    int fair = free / (1 + line.size());
    int share = Math.min(most, Math.max(1, Math.max(fair, Math.min(least, free - smallClaims()))));
    free -= share;
    return share;
  }

  /**
   * Returns whether a claimer that needs {@code least} permits can claim now. Large claims do not
   * run at the same time, because each would get few permits.
   */
  private boolean isEnough(int least) {
    return free >= least && (least == 1 || largeClaims == 0);
  }

  /** Notes that a large claim is in flight. */
  void beginLargeClaim() {
    largeClaims++;
  }

  /** Notes that a large claim has ended: its permits are in use, or were returned. */
  void endLargeClaim() {
    largeClaims--;
  }

  private Map.Entry<C, Integer> first() {
    return line.entrySet().iterator().next();
  }

  /** Returns the number of claimers in the line that accept a single permit. */
  private int smallClaims() {
    return (int) line.values().stream().filter(least -> least == 1).count();
  }

  /** Takes up to {@code most} free permits, ahead of the claimers that wait in the line. */
  int takeFree(int most) {
    int taken = Math.min(most, Math.max(0, free));
    free -= taken;
    return taken;
  }

  /**
   * Adds permits. A negative number removes permits; {@code free} can then be negative until
   * handlers return their permits.
   */
  void add(int permits) {
    free += permits;
  }

  /** Removes and returns the first claimer in the line for which enough permits are free. */
  Optional<C> pollTurn() {
    if (free <= 0 || line.isEmpty()) {
      return Optional.empty();
    }
    C first = first().getKey();
    for (Map.Entry<C, Integer> next : line.entrySet()) {
      C claimer = next.getKey();
      if (isEnough(next.getValue()) || (acceptsFewer && claimer.equals(first))) {
        line.remove(claimer);
        called = claimer.equals(first) ? claimer : null;
        return Optional.of(claimer);
      }
    }
    return Optional.empty();
  }

  /** Removes a closed claimer from the line. */
  void leave(C claimer) {
    line.remove(claimer);
  }

  /** Returns whether permits are free although a claimer waits in the line for more permits. */
  boolean isAwaitingMore() {
    return free > 0 && !line.isEmpty();
  }

  /** Lets the first claimer in the line take any number of permits, as soon as a permit is free. */
  void acceptFewer() {
    acceptsFewer = !line.isEmpty();
  }
}
