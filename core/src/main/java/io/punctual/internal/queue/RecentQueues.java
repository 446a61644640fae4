package io.punctual.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.partition.QueuePartitions;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Keeps the queues of recent look-ups in memory, so that a caller who looks a queue up again and
 * again does not open it each time. A queue is kept for one to two rounds after its last look-up,
 * or for fewer if many queues are looked up. Thread-safe.
 */
final class RecentQueues {
  /** The number of queues that end a round early. */
  private static final int MOST = 2_000;

  @GuardedBy("this") private Set<QueuePartitions> thisRound = newRound();

  @GuardedBy("this") private Set<QueuePartitions> lastRound = newRound();

  private static Set<QueuePartitions> newRound() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }

  synchronized void use(QueuePartitions queue) {
    if (thisRound.add(queue) && thisRound.size() >= MOST) {
      endRound();
    }
  }

  /** Forgets the queues without a look-up in this round. */
  synchronized void endRound() {
    lastRound = thisRound;
    thisRound = newRound();
  }

  /** Forgets a queue at once. */
  synchronized void remove(QueuePartitions queue) {
    thisRound.remove(queue);
    lastRound.remove(queue);
  }
}
