package io.punctual.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How many more handlers a worker may call, shared among its lanes: a lane that finds too few left
 * stands in line, and whoever takes leaves a fair share for those in line. Not thread-safe: guarded
 * by its worker's lock.
 */
final class Permits<L> {
  /** Those in line, and how many each of them wants at least. */
  private final Map<L, Integer> line = new LinkedHashMap<>();

  private int free;
  private boolean hurried;

  Permits(int free) {
    this.free = free;
  }

  /**
   * Takes a fair share of what is free, and no less than {@code least} if that many are, up to
   * {@code most}. 0 puts the lane in line: less than {@code least} is free, and nobody hurries.
   */
  int take(L lane, int least, int most) {
    if (most == 0 || !isEnough(least)) {
      line.putIfAbsent(lane, least);
      return 0;
    }
    line.remove(lane);
    hurried = false;
    int share = Math.min(most, Math.max(Math.min(free, least), free / (1 + line.size())));
    free -= share;
    return share;
  }

  private boolean isEnough(int least) {
    return free >= (hurried ? 1 : least);
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

  /** Takes the lane whose turn it is out of the line, if there is one and enough is free for it. */
  Optional<L> pollTurn() {
    Iterator<Map.Entry<L, Integer>> first = line.entrySet().iterator();
    if (!first.hasNext()) {
      return Optional.empty();
    }
    Map.Entry<L, Integer> next = first.next();
    if (!isEnough(next.getValue())) {
      return Optional.empty();
    }
    first.remove();
    return Optional.of(next.getKey());
  }

  /** Whether somebody in line could have something, but waits for more. */
  boolean isAwaitingMore() {
    return free > 0 && !line.isEmpty();
  }

  /** The next one in line is content with what is free. */
  void hurry() {
    hurried = isAwaitingMore();
  }
}
