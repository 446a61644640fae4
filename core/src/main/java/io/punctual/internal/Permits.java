package io.punctual.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many more handlers a worker may call, shared among its lanes: a lane that finds too few left
 * stands in line, and whoever takes leaves a fair share for those in line. Not thread-safe: guarded
 * by its worker's lock.
 */
final class Permits<L> {
  /** Those in line, and how many each of them wants at least. */
  private final Map<L, Integer> line = new LinkedHashMap<>();

  private int free;

  /** How many claims hold permits that no message has yet. */
  private int claims;

  /** Whether the first in line has waited long enough, and whom it was last said to be. */
  private boolean hurried;

  private @Nullable L called;

  Permits(int free) {
    this.free = free;
  }

  /**
   * Takes permits for a claim, up to {@code most}: a fair share of what is free if {@code least} is
   * 1, otherwise all that those in line who are content with one can spare. 0 puts the lane in
   * line: too few are free for it or, if it wants more than one, a claim is under way; and nobody
   * hurries.
   */
  int take(L lane, int least, int most) {
    boolean first = lane.equals(called) || (!line.isEmpty() && lane.equals(first().getKey()));
    boolean enough = (hurried && first) ? free > 0 : isEnough(least);
    if (most == 0 || !enough) {
      line.putIfAbsent(lane, least);
      return 0;
    }
    line.remove(lane);
    if (first) {
      hurried = false;
      called = null;
    }
    int fair = least == 1 ? free / (1 + line.size()) : free - impatient();
    int share = Math.min(most, Math.max(1, fair));
    free -= share;
    claims++;
    return share;
  }

  /** Who wants many waits for a claim under way too: or all would have few, of many lanes. */
  private boolean isEnough(int least) {
    return free >= least && (least == 1 || claims == 0);
  }

  /** What a claim has taken is in use, or given back. */
  void endClaim() {
    claims--;
  }

  private Map.Entry<L, Integer> first() {
    return line.entrySet().iterator().next();
  }

  /** How many are in line that are content with one. */
  private int impatient() {
    return (int) line.values().stream().filter(least -> least == 1).count();
  }

  /** Takes what is free now, up to {@code most}, whoever stands in line. */
  int takeFree(int most) {
    int taken = Math.min(most, free);
    free -= taken;
    return taken;
  }

  void giveBack(int permits) {
    free += permits;
  }

  /**
   * Takes the lane whose turn it is out of the line: the first for which enough is free, if any.
   */
  Optional<L> pollTurn() {
    if (free == 0 || line.isEmpty()) {
      return Optional.empty();
    }
    L first = first().getKey();
    for (Map.Entry<L, Integer> next : line.entrySet()) {
      L lane = next.getKey();
      if (isEnough(next.getValue()) || (hurried && lane.equals(first))) {
        line.remove(lane);
        called = lane.equals(first) ? lane : null;
        return Optional.of(lane);
      }
    }
    return Optional.empty();
  }

  /** Takes a lane out of the line that wants nothing any more. */
  void leave(L lane) {
    line.remove(lane);
  }

  /** Whether somebody in line could have something, but waits for more. */
  boolean isAwaitingMore() {
    return free > 0 && !line.isEmpty();
  }

  /** The first in line is content with whatever is free, now or next. */
  void hurry() {
    hurried = !line.isEmpty();
  }
}
