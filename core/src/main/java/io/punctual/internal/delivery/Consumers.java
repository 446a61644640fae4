package io.punctual.internal.delivery;

import io.punctual.internal.log.Logs;
import io.punctual.internal.partition.QueuePartitions;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The workers and manual claims of a client. They end before the sessions do. Thread-safe. */
public final class Consumers {
  private static final Logger log = Logs.of(Consumers.class);

  /**
   * The members in the order in which they were added. An order by hash codes would differ between
   * two runs of a simulation with the same seed.
   */
  private final Set<Member> members = Collections.synchronizedSet(new LinkedHashSet<>());

  private final WorkerWatch watch;
  private final Isolation isolation;
  private volatile boolean closed;

  /** Receives notices of the workers of a client. */
  public interface WorkerWatch {
    /** Notes that a worker has started. */
    void started(Announced worker);

    /** Notes that a worker has ended. */
    void ended(Announced worker);
  }

  /** Creates an empty set of consumers. */
  public Consumers(WorkerWatch watch, Isolation isolation) {
    this.watch = watch;
    this.isolation = isolation;
  }

  /** Returns the place of the messages that may end this process. */
  public Isolation isolation() {
    return isolation;
  }

  /** A worker or a manual claim. */
  public interface Member {
    /**
     * Ends the member; a null grace period means the member's own grace period. Completes when the
     * member has ended.
     */
    CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace);

    /**
     * Notes that the partitions of a queue were replaced, because the client's number of partitions
     * was stale.
     */
    void corrected(QueuePartitions partitions);

    /** Returns this member as the list of workers shows it, or null if it is no worker. */
    public default @Nullable Announced announced() {
      return null;
    }

    /** Returns whether a handler of this member runs on the calling thread. */
    public default boolean isOnThisThread() {
      return false;
    }
  }

  /** Adds a member; ends it at once if the client is closed. */
  public void add(Member member) {
    members.add(member);
    Announced announced = member.announced();
    if (announced != null) {
      watch.started(announced);
    }
    if (closed) {
      CompletableFuture<?> unused = member.shutdown(null);
    }
  }

  public void remove(Member member) {
    members.remove(member);
    Announced announced = member.announced();
    if (announced != null) {
      watch.ended(announced);
    }
  }

  public boolean isOnThisThread() {
    return List.copyOf(members).stream().anyMatch(Member::isOnThisThread);
  }

  public void corrected(QueuePartitions partitions) {
    List.copyOf(members).forEach(member -> corrected(member, partitions));
  }

  /** Notifies a member. Its exception does not keep the other members from their notices. */
  private static void corrected(Member member, QueuePartitions partitions) {
    try {
      member.corrected(partitions);
    } catch (RuntimeException e) {
      log.warn("A worker or claim can't continue with the new partitions in order", e);
    }
  }

  /** Ends a member. A failure does not keep the other members from ending. */
  private static CompletableFuture<@Nullable Void> shutdown(
      Member member, @Nullable Duration grace) {
    try {
      return member.shutdown(grace);
    } catch (Throwable e) {
      log.warn("A worker or claim of the client can't be closed in order", e);
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Ends all members; a null grace period means each member's own grace period. Completes when they
   * have ended.
   */
  public CompletableFuture<@Nullable Void> close(@Nullable Duration grace) {
    closed = true;
    return CompletableFuture.allOf(
        List.copyOf(members).stream()
            .map(member -> shutdown(member, grace))
            .toArray(CompletableFuture<?>[]::new));
  }
}
