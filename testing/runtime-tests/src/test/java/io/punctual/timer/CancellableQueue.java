package io.punctual.timer;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

/** The sequential specification of {@link SharedWheelLincheckTest}: a queue with removal. */
@SuppressWarnings("missing-explicit-ctor") // Lincheck creates this class.
public final class CancellableQueue {
  private final Set<Integer> known = new HashSet<>();
  private final Queue<Integer> waiting = new ArrayDeque<>();

  public boolean schedule(int number) {
    return known.add(number) && waiting.add(number);
  }

  public boolean cancel(int number) {
    return waiting.remove(number);
  }

  public int runNext() {
    return waiting.isEmpty() ? -1 : waiting.remove();
  }
}
