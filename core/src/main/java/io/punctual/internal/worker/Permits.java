package io.punctual.internal.worker;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Shares the permits of a pool among its claimers. Each permit allows one call of the handler. A
 * claimer that finds fewer permits than it wants waits in a line, and a claimer that takes permits
 * leaves a fair share for the line. Not thread-safe: {@link Admission} guards it.
 *
 * @param <C> a claimer
 */
final class Permits<C> {
  /** The claimers in line, each with the smallest number of permits that it wants. */
  private final Map<C, Integer> line = new LinkedHashMap<>();

  private int free;

  /** The number of claims in flight that wanted more than one permit. */
  private int largeClaims;

  /** The first claimer in line has waited long enough, and takes any number of permits. */
  private boolean acceptsFewer;

  /** The first claimer in line, while it is between {@link #pollTurn} and {@link #take}. */
  private @Nullable C called;

  Permits(int free) {
    this.free = free;
  }

  /**
   * Takes a fair share of the free permits: at least {@code least} if that many are free, and at
   * most {@code most}. Otherwise puts the claimer in line and returns 0, also if {@code least} is
   * more than one and another large claim is in flight. After {@link #acceptFewer}, the first
   * claimer in line takes any number.
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

  /** Large claims run one after another; at the same time, each would get few permits. */
  private boolean isEnough(int least) {
    return free >= least && (least == 1 || largeClaims == 0);
  }

  /** Counts a claim that wanted more than one permit as in flight. */
  void beginLargeClaim() {
    largeClaims++;
  }

  /** The permits of a large claim are in use, or given back. */
  void endLargeClaim() {
    largeClaims--;
  }

  private Map.Entry<C, Integer> first() {
    return line.entrySet().iterator().next();
  }

  /** Returns the number of claimers in line that want a single permit. */
  private int smallClaims() {
    return (int) line.values().stream().filter(least -> least == 1).count();
  }

  /** Takes up to {@code most} free permits, ahead of the line. */
  int takeFree(int most) {
    int taken = Math.min(most, Math.max(0, free));
    free -= taken;
    return taken;
  }

  /** Adds permits; removes permits if negative, so that {@code free} may be negative for a time. */
  void add(int permits) {
    free += permits;
  }

  /** Removes and returns the first claimer in line for which enough permits are free. */
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

  /** Returns whether permits are free while a claimer in line waits for more. */
  boolean isAwaitingMore() {
    return free > 0 && !line.isEmpty();
  }

  /** Lets the first claimer in line take any number of permits, as soon as a permit is free. */
  void acceptFewer() {
    acceptsFewer = !line.isEmpty();
  }
}
