package io.punctual.internal;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How many more handlers a worker may call, shared among its partitions: a partition that finds too
 * few left stands in line, and whoever takes leaves a fair share for those in line. Not
 * thread-safe: guarded by its worker's lock.
 */
final class Permits<L> {
  /** Those in line, and how many each of them wants at least. */
  private final Map<L, Integer> line = new LinkedHashMap<>();

  private int free;

  /** How many claims that wanted more than one hold permits that no message has yet. */
  private int patientClaims;

  /** Whether the first in line has waited long enough, and whom it was last said to be. */
  private boolean hurried;

  private @Nullable L called;

  Permits(int free) {
    this.free = free;
  }

  /**
   * Takes a fair share of what is free, and no less than {@code least} if that many are, up to
   * {@code most}. 0 puts the partition in line: less than {@code least} is free, or it is patient
   * and so is a claim under way; and nobody hurries.
   */
  int take(L partition, int least, int most) {
    boolean first =
        partition.equals(called) || (!line.isEmpty() && partition.equals(first().getKey()));
    boolean enough = (hurried && first) ? free > 0 : isEnough(least);
    if (most == 0 || !enough) {
      line.putIfAbsent(partition, least);
      return 0;
    }
    line.remove(partition);
    if (first) {
      hurried = false;
      called = null;
    }
    int fair = free / (1 + line.size());
    int share = Math.min(most, Math.max(1, Math.max(fair, Math.min(least, free - impatient()))));
    free -= share;
    return share;
  }

  /** The patient go one after the other, or all would have few, of many partitions. */
  private boolean isEnough(int least) {
    return free >= least && (least == 1 || patientClaims == 0);
  }

  /** A claim that wanted more than one holds permits from now on. */
  void beginPatientClaim() {
    patientClaims++;
  }

  /** What it held is in use, or given back. */
  void endPatientClaim() {
    patientClaims--;
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
   * Takes the partition whose turn it is out of the line: the first for which enough is free, if
   * any.
   */
  Optional<L> pollTurn() {
    if (free == 0 || line.isEmpty()) {
      return Optional.empty();
    }
    L first = first().getKey();
    for (Map.Entry<L, Integer> next : line.entrySet()) {
      L partition = next.getKey();
      if (isEnough(next.getValue()) || (hurried && partition.equals(first))) {
        line.remove(partition);
        called = partition.equals(first) ? partition : null;
        return Optional.of(partition);
      }
    }
    return Optional.empty();
  }

  /** Takes a partition out of the line that wants nothing any more. */
  void leave(L partition) {
    line.remove(partition);
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
