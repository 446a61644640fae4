package io.punctual.spi;

import io.punctual.PunctualException;
import io.punctual.State;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One shard of a queue. Changes come as numbered {@link Call}s of a session; look-ups and
 * administration stand beside the sessions.
 *
 * <p>A stage that completes exceptionally with a {@link NotSentException} promises that the call
 * was not carried out and never will be; with a {@link PartitionException}, that it was refused for
 * good without effect, and its number is still expected; with anything else, that nobody knows. A
 * transport answers or fails every call within a bound of its own, and never sends one again,
 * redirects or reorders it.
 *
 * <p>Implementations are safe for use by many threads, and never block the caller for the network
 * or a disk. A stage may already be complete when it is returned.
 */
public interface Partition {
  /** How many operations one call can carry. */
  int MAX_OPERATIONS = 1000;

  /**
   * How many operations are enough for one call of a partition that {@link #prefersBatching()
   * gathers}.
   */
  int MANY_OPERATIONS = 256;

  /** How many messages one claim, or one page, can ask for. */
  int MAX_PAGE = 1000;

  /** How many buckets one forecast can ask for. */
  int MAX_BUCKETS = 500;

  /** Returns the queue's name. */
  String queue();

  /** Returns which of the queue's partitions this is, from 0. */
  int index();

  /**
   * Opens a session, if the partition does not know it yet; asking again changes nothing.
   *
   * @param session the session's id, random, up to 32 characters of letters and digits
   * @param replaces a session of this client that ends, or null
   */
  CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces);

  /** Makes a call; see {@link Call} for what is carried out and what is answered. */
  CompletionStage<Reply> call(Call call);

  /**
   * Returns whether what a client asks for while a call is under way is better kept until the
   * answer: true for a partition that takes about as long for little as for much, since it has to
   * write to a disk or to ask a server. By default false: two calls are under way, for a partition
   * that answers at once. More operations than {@link #MANY_OPERATIONS} are never waited for.
   */
  default boolean prefersBatching() {
    return false;
  }

  /**
   * Returns how many operations the client should send in one call, 1 to {@link #MAX_OPERATIONS}:
   * fewer for a partition that keeps others waiting while it carries out a call.
   */
  default int operationsPerCall() {
    return MAX_OPERATIONS;
  }

  /** Forgets a session; best effort. */
  CompletionStage<@Nullable Void> closeSession(String session);

  /** Finds a message by id. */
  CompletionStage<Optional<Entry>> find(String id);

  /**
   * Lists the messages in a state: {@link State#SCHEDULED} and {@link State#READY} by due time,
   * {@link State#LEASED} by the end of the lease, {@link State#DEAD} by the time of death. What
   * does not change while paging is listed exactly once.
   *
   * @param cursor the last page's {@link EntryPage#next}, or null for the first page
   * @param limit how many at most, 1 to {@link #MAX_PAGE}
   * @throws IllegalArgumentException through the stage, if the cursor is not one of this
   *     partition's
   */
  CompletionStage<EntryPage> browse(State state, @Nullable String cursor, int limit);

  /** Counts the messages. */
  CompletionStage<PartitionCounts> counts();

  /**
   * Counts how many waiting messages come due in each of some equal spans of time.
   *
   * @param fromMillis where the first span begins, in milliseconds from 1970
   * @param widthMillis how long each is, 1 or more
   * @param buckets how many there are, 1 to {@link #MAX_BUCKETS}
   */
  CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets);

  /**
   * Pauses the queue, so that nothing is claimed, or resumes it; asking again changes nothing. A
   * queue exists once it was paused, even without messages.
   */
  CompletionStage<@Nullable Void> pause(boolean paused);

  /**
   * Removes the messages that are in these states, in bounded steps: of those that are there when
   * it begins, all that stay in these states until their turn comes. {@link State#SCHEDULED} does
   * not include {@link State#READY}. Settlements of purged leases are refused.
   *
   * @return how many were removed
   */
  CompletionStage<Long> purge(Set<State> states);

  /**
   * Calls the listener whenever the partition's earliest time gets lower, until the registration is
   * closed. A store that many clients share may call the listener of one client only, among those
   * whose last claim took less than its limit.
   */
  Registration onWakeUp(WakeUp listener);

  /**
   * Called when a worker knows that something is due, and has no room for it. A store that wakes
   * one client only wakes another one. Must not block. By default does nothing.
   */
  default void handOver() {}

  /** A call was refused for good, without effect. */
  class PartitionException extends PunctualException {
    private static final long serialVersionUID = 1L;

    /** Creates one that says what was refused and what to do. */
    public PartitionException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The queue has another number of partitions than the client believes; nothing was done. */
  final class PartitionCountException extends PartitionException {
    private static final long serialVersionUID = 1L;

    private final int partitions;

    /** Creates one that says how many partitions the queue has. */
    public PartitionCountException(int partitions, @Nullable Throwable cause) {
      super("The queue has " + partitions + " partitions, unlike this client believed", cause);
      this.partitions = partitions;
    }

    /** Returns how many partitions the queue has. */
    public int partitions() {
      return partitions;
    }
  }

  /** A call was certainly not carried out, and never will be. */
  final class NotSentException extends PunctualException {
    private static final long serialVersionUID = 1L;

    /** Creates one that says what failed. */
    public NotSentException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
