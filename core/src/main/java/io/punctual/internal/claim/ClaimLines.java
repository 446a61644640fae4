package io.punctual.internal.claim;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.runtime.Environment;
import io.punctual.spi.Call;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The {@link ClaimLine}s of a client, one for each partition and each kind of claims, until they
 * are empty. Thread-safe.
 */
public final class ClaimLines {
  /**
   * The lines in the order of their creation. An order by hash codes would differ between two runs
   * of a simulation with the same seed.
   */
  @GuardedBy("this") private final Map<Key, ClaimLine> lines = new LinkedHashMap<>();

  /**
   * The properties that claims must have in common to share a call.
   *
   * @param claim an example of the claims; its limit has no meaning
   * @param prefetch the largest number of messages that wait for later claims
   */
  record Kind(Call.Claim claim, int prefetch) {
    @Override
    public boolean equals(@Nullable Object o) {
      return o instanceof Kind other
          && prefetch == other.prefetch
          && claim.leaseMillis() == other.claim.leaseMillis()
          && claim.atMostOnce() == other.claim.atMostOnce();
    }

    @Override
    public int hashCode() {
      return Objects.hash(prefetch, claim.leaseMillis(), claim.atMostOnce());
    }
  }

  private record Key(PartitionClient partition, Kind kind) {}

  /** Adds a member to the line for claims of this kind, and returns the line. */
  synchronized ClaimLine join(
      Environment env, PartitionClient partition, Kind kind, ClaimLine.Member member) {
    Key key = new Key(partition, kind);
    ClaimLine line =
        lines.computeIfAbsent(
            key,
            added ->
                new ClaimLine(
                    env, partition, kind.claim(), kind.prefetch(), ended -> drop(key, ended)));
    line.add(member);
    return line;
  }

  /** Forgets a line if it is empty. */
  private synchronized void drop(Key key, ClaimLine line) {
    if (line.isEmpty()) {
      lines.remove(key, line);
    }
  }

  /**
   * Gives the messages that wait for later claims back to the queue. Completes when the store has
   * them, or when the blocking time-out has passed.
   */
  public CompletableFuture<?> close() {
    List<ClaimLine> all;
    synchronized (this) {
      all = List.copyOf(lines.values());
    }
    return CompletableFuture.allOf(
        all.stream().map(ClaimLine::close).toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Registers a line for hints, because one of its members has found no message and waits. After
   * the registration, the line claims again, because a message may have become due before the
   * registration. A line that is registered already, or has no members, only runs.
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
  void leave(ClaimLine line, PartitionClient partition, Kind kind, ClaimLine.Member member) {
    synchronized (this) {
      if (line.remove(member)) {
        partition.remove(line);
        drop(new Key(partition, kind), line);
      }
    }
    line.removed(member);
  }
}
