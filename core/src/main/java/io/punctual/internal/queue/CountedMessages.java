package io.punctual.internal.queue;

import io.punctual.Counts;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.spi.PartitionCounts;
import java.time.Duration;

/** The counts of a queue for users. Immutable. */
record CountedMessages(
    long scheduled,
    long ready,
    long leased,
    long dead,
    long finished,
    boolean paused,
    PauseNote pauseNote,
    QueueLimits limits,
    Duration overdue)
    implements Counts {
  static Counts of(PartitionCounts sum) {
    return new CountedMessages(
        sum.scheduled(),
        sum.ready(),
        sum.leased(),
        sum.dead(),
        sum.finished(),
        sum.paused(),
        sum.pauseNote(),
        sum.limits(),
        Duration.ofMillis(sum.overdueMillis()));
  }
}
