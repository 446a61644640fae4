package io.punctual.internal;

import java.util.ArrayDeque;
import java.util.Optional;

/**
 * How many more handlers a worker may call, shared among its lanes: a lane that finds none left
 * stands in line, and whoever takes leaves a fair share for those in line. Not thread-safe: guarded
 * by its worker's lock.
 */
final class Permits<L> {
  private final ArrayDeque<L> line = new ArrayDeque<>();
  private int free;

  Permits(int free) {
    this.free = free;
  }

  /** Takes a fair share of what is free, up to {@code most}; 0 puts the lane in line. */
  int take(L lane, int most) {
    if (free == 0 || most == 0) {
      if (!line.contains(lane)) {
        line.add(lane);
      }
      return 0;
    }
    line.remove(lane);
    int share = Math.min(most, Math.max(1, free / (1 + line.size())));
    free -= share;
    return share;
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

  /** Takes the lane whose turn it is out of the line, if there is one and something is free. */
  Optional<L> pollTurn() {
    return free == 0 ? Optional.empty() : Optional.ofNullable(line.poll());
  }
}
