package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.runtime.Environment;
import io.punctual.spi.Call;
import java.util.HashMap;
import java.util.Map;

/** The lines of a client that have members. Thread-safe. */
final class ClaimLines {
  @GuardedBy("this") private final Map<Key, ClaimLine> lines = new HashMap<>();

  /** The properties that claims must have in common to share a call. */
  private record Key(PartitionClient partition, long leaseMillis, boolean atMostOnce) {
    static Key of(PartitionClient partition, Call.Claim claim) {
      return new Key(partition, claim.leaseMillis(), claim.atMostOnce());
    }
  }

  /** Adds a member to the line for claims of this kind, and returns the line. */
  synchronized ClaimLine join(
      Environment env, PartitionClient partition, Call.Claim kind, ClaimLine.Member member) {
    ClaimLine line =
        lines.computeIfAbsent(Key.of(partition, kind), key -> new ClaimLine(env, partition, kind));
    line.add(member);
    return line;
  }

  /**
   * Registers a line for hints, because one of its members has found no message and waits. Then the
   * line claims again, because a message may have become due before the registration.
   */
  void awaitHints(ClaimLine line, PartitionClient partition) {
    boolean registers;
    synchronized (this) {
      registers = line.awaitsHints();
      if (registers) {
        partition.add(line);
      }
    }
    if (registers) {
      line.wake(0);
    } else {
      line.run();
    }
  }

  /** Removes a member from its line. The member's methods run without the monitor. */
  void leave(ClaimLine line, PartitionClient partition, Call.Claim kind, ClaimLine.Member member) {
    synchronized (this) {
      if (line.remove(member)) {
        partition.remove(line);
        lines.remove(Key.of(partition, kind), line);
      }
    }
    line.removed(member);
  }
}
