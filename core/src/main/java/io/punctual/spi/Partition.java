package io.punctual.spi;

import io.punctual.PauseNote;
import io.punctual.PunctualException;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.Transaction;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A shard of a queue. Claims and changes of messages arrive as numbered {@link Call}s of a session,
 * except in {@link #applyIn}. Look-ups and administration need no session.
 *
 * <p>The exception of a failed stage states whether the request had an effect:
 *
 * <ul>
 *   <li>{@link NotSentException}: the request was not executed and never will be.
 *   <li>{@link PartitionException}: the partition refused the request permanently, without effect;
 *       {@link RefusedForNowException}: perhaps not permanently. The partition still expects the
 *       number of a refused call.
 *   <li>Any other exception: the request may have been executed, or may be executed later.
 * </ul>
 *
 * <p>An implementation answers or fails each call within a time limit of its own. It never repeats,
 * redirects or reorders a call.
 *
 * <p>Implementations are safe for use by many threads, and never block the caller for the network
 * or a disk, except in {@link #applyIn}. A stage may be complete when it is returned.
 */
public interface Partition extends Sessions {
  /** The largest number of operations in a call. */
  int MAX_OPERATIONS = 1000;

  /**
   * If at least this number of operations is in flight, the client sends a second call at the same
   * time, even to a partition that {@link #prefersBatching() prefers batching}.
   */
  int MANY_OPERATIONS = 256;

  /** The largest number of messages of a claim or a page. */
  int MAX_PAGE = 1000;

  /**
   * If the limits cut a claim of one of several partitions short, the client claims again after at
   * most this time in milliseconds, because shares of other partitions may have moved to the
   * partition.
   */
  int SHARES_MILLIS = 500;

  /** The largest number of spans of a forecast. */
  int MAX_BUCKETS = 500;

  /**
   * Returns the index of the partition that has the message with an id: the CRC-32C of the id's
   * UTF-8 bytes, modulo the number of partitions. All clients and stores use this rule.
   *
   * @param partitions the queue's number of partitions, from 1
   */
  static int indexOf(String id, int partitions) {
    if (partitions == 1) {
      return 0;
    }
    CRC32C crc = new CRC32C();
    crc.update(id.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % partitions);
  }

  /** Returns the queue's name. */
  String queue();

  /** Returns the index of this partition in its queue, from 0. */
  int index();

  /**
   * Returns the object through which the client opens a second session, for the claims of its
   * workers; null if the client should open none. Null by default: claims and operations then share
   * a session, and a claim waits for the operations before it. A partition whose server can execute
   * both at the same time returns sessions. Both kinds of session accept claims and operations.
   */
  default @Nullable Sessions claimSessions() {
    return null;
  }

  /**
   * Executes operations inside a transaction of the caller, on the calling thread, which blocks.
   * The operations take effect if and when the transaction commits. They need no session and no
   * number, because the caller rolls back after a failure. Use {@link Transaction#afterCommit} to
   * send wake-up hints.
   *
   * <p>Until the end of the transaction, an operation that a session sends for one of these
   * messages waits for a short time. If the transaction is still open then, the outcome of the
   * operation is {@link Outcome.Busy}.
   *
   * <p>If this method throws, or if an outcome is {@link Outcome.Full}, then none of the operations
   * takes effect, even if the caller commits.
   *
   * @param operations any number, also more than {@link #MAX_OPERATIONS}
   * @return one outcome for each operation
   * @throws UnsupportedOperationException if the store has no {@link Capability#TRANSACTIONS}
   * @throws IllegalArgumentException if the transaction is not of this store's kind
   * @throws IllegalStateException if the connection of the transaction has no open transaction
   * @throws NotSentException if a statement failed for a reason that may pass
   * @throws PartitionException if the database refused a statement
   */
  default List<Outcome> applyIn(Transaction transaction, List<Operation> operations) {
    throw new UnsupportedOperationException(
        "The store of queue '" + queue() + "' does not support " + Capability.TRANSACTIONS);
  }

  /**
   * Returns whether the client should collect operations while a call is in flight, and send them
   * together after the reply. True for a partition whose call costs about the same for few
   * operations and for many, because it writes to a disk or asks a server. False by default: the
   * client then sends up to two calls with operations at a time. With {@link #MANY_OPERATIONS} in
   * flight, the client sends a second call in either case.
   */
  default boolean prefersBatching() {
    return false;
  }

  /**
   * Returns the number of operations that the client should send in one call, 1 to {@link
   * #MAX_OPERATIONS}. A partition that serves no other request while it executes a call returns a
   * lower number.
   */
  default int operationsPerCall() {
    return MAX_OPERATIONS;
  }

  /** Finds a message by id. */
  CompletionStage<Optional<Entry>> find(String id);

  /**
   * Finds messages by their ids. By default, looks each message up, with all look-ups in flight at
   * the same time. A partition whose look-ups cost a round trip each finds all messages in one.
   *
   * @param ids up to {@link #MAX_PAGE} different ids
   * @return the messages that exist, in any order
   */
  default CompletionStage<List<Entry>> find(Collection<String> ids) {
    List<CompletableFuture<Optional<Entry>>> found =
        ids.stream().map(id -> find(id).toCompletableFuture()).toList();
    return CompletableFuture.allOf(found.toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> found.stream().flatMap(each -> each.join().stream()).toList());
  }

  /**
   * Lists the messages in a state: {@link State#SCHEDULED} and {@link State#READY} by due time,
   * {@link State#LEASED} by the end of the lease, {@link State#DEAD} by the time of death, {@link
   * State#FINISHED} by the time at which the store forgets the id; by id at the same time. A
   * listing with the newest first has exactly the opposite order. A message that does not change
   * while a client pages is listed exactly once.
   *
   * @param cursor {@link EntryPage#next} of the previous page of the same query, or null for the
   *     first page
   * @param limit the largest number of messages, 1 to {@link #MAX_PAGE}
   * @throws IllegalArgumentException through the stage, if the cursor is not from this partition,
   *     or from a listing in the other direction
   */
  CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit);

  /**
   * Returns the cursor of the page after an entry, as if the entry were the last of its page. Only
   * called if the queue has several partitions, whose listings the client merges.
   *
   * @param entry an entry of a listing of this query
   */
  default String cursorAfter(EntryQuery query, Entry entry) {
    throw new UnsupportedOperationException("The store has a single partition for each queue");
  }

  /** Lists the messages in a state in a range of times, in the order of the times. */
  default CompletionStage<EntryPage> browse(
      State state, TimeRange range, @Nullable String cursor, int limit, boolean withContents) {
    return browse(new EntryQuery(state, range, false, withContents), cursor, limit);
  }

  /** Lists the messages in a state, without a range of times. */
  default CompletionStage<EntryPage> browse(
      State state, @Nullable String cursor, int limit, boolean withContents) {
    return browse(state, TimeRange.ALL, cursor, limit, withContents);
  }

  /** Lists the messages in a state, with their contents. */
  default CompletionStage<EntryPage> browse(State state, @Nullable String cursor, int limit) {
    return browse(state, cursor, limit, true);
  }

  /**
   * Counts the messages. A store that has to read all messages of a large queue may return counts
   * that are a few seconds old.
   */
  CompletionStage<PartitionCounts> counts();

  /** Like {@link #counts}, but never returns counts from before the call. */
  default CompletionStage<PartitionCounts> countsNow() {
    return counts();
  }

  /**
   * Counts the waiting messages that become due in each of several equal spans of time.
   *
   * @param fromMillis the start of the first span, in milliseconds from 1970
   * @param widthMillis the length of each span in milliseconds, from 1
   * @param buckets the number of spans, 1 to {@link #MAX_BUCKETS}
   */
  CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets);

  /**
   * Pauses this partition of the queue, so that claims return no messages, or resumes it.
   * Idempotent. A paused queue exists, even without messages. Resuming a queue that does not exist
   * has no effect. {@link #counts} returns the note of the last pause, until a resume.
   *
   * @param note the note of a pause; {@link PauseNote#NONE} for a resume
   */
  CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note);

  /** Pauses this partition of the queue without a note, or resumes it. */
  default CompletionStage<@Nullable Void> pause(boolean paused) {
    return pause(paused, PauseNote.NONE);
  }

  /**
   * Sets the limits of the queue's claims for this partition, or removes them. Idempotent. The
   * partition enforces its {@linkplain LimitShare share} in the same step as a claim:
   *
   * <ul>
   *   <li>Each message that a claim leases takes a token. A repeated claim takes no tokens, and a
   *       settlement returns no token.
   *   <li>A claim leases a due message only if fewer messages are leased than the concurrency
   *       allows. A leased message counts until it is settled, also with an expired lease, so this
   *       limit never prevents a claim of a message with an expired lease.
   *   <li>If a limit cuts a claim short, {@link Reply.Claimed#untilNextMicros} is the time until
   *       the limits allow the next message. A settlement after which a further message can be
   *       leased calls the listeners of {@link #onWakeUp}. If the queue has several partitions, the
   *       time is at most {@link #SHARES_MILLIS} milliseconds, and {@link Reply.Claimed#isShort} is
   *       true.
   * </ul>
   *
   * <p>A queue with limits exists, even without messages. Removing the limits of a queue that does
   * not exist has no effect. Only called if the store has the {@link Capability#LIMITS}.
   */
  default CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return CompletableFuture.failedStage(
        new UnsupportedOperationException(
            "The store of queue '" + queue() + "' does not support " + Capability.LIMITS));
  }

  /**
   * Reads the use of the limits, so that a client can move shares of the limits between the
   * partitions of the queue. Empty by default, for stores whose queues have a single partition.
   *
   * @return the use, or empty if the queue never had limits or has a single partition
   */
  default CompletionStage<Optional<LimitUse>> limitUse() {
    return CompletableFuture.completedStage(Optional.empty());
  }

  /**
   * Replaces the ledger of the partition's shares in one step, if the ledger still equals {@code
   * expected}. The token bucket keeps its tokens, as far as they fit into its new size. If a claim
   * is possible earlier than before, calls the listeners of {@link #onWakeUp}. A repeated call has
   * no effect. Changes nothing by default.
   *
   * @return the use after the call, as {@link #limitUse} returns it
   */
  default CompletionStage<Optional<LimitUse>> moveShares(ShareLedger expected, ShareLedger next) {
    return limitUse();
  }

  /**
   * Removes the messages in these states, in bounded steps; {@link State#FINISHED} forgets the ids
   * of finished messages. A message is removed if it is in one of the states at the start, and also
   * when its step runs. {@link State#SCHEDULED} does not include {@link State#READY}. The store
   * refuses the settlements of purged leases.
   *
   * @return the number of removed messages and forgotten ids
   */
  CompletionStage<Long> purge(Set<State> states);

  /**
   * Calls the listener whenever the earliest due time or lease end of the partition becomes
   * earlier, until the registration is closed. A store that many clients share may call only the
   * listener of one client, whose last claim returned fewer messages than the limit of the claim.
   */
  Registration onWakeUp(WakeUp listener);

  /**
   * Notifies the store that messages are due and this client has no room for them. If the store
   * wakes a single client for each hint, it then wakes a different client. Must not block. Does
   * nothing by default.
   */
  default void handOver() {}

  /** The partition refused a request permanently, without effect. */
  class PartitionException extends PunctualException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception whose message names the refused request and the remedy. */
    public PartitionException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The partition refused a request without effect, for a reason that may pass without a change of
   * the request, for example a missing right. The client tells callers at once, but repeats
   * settlements while their leases last.
   */
  final class RefusedForNowException extends PartitionException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception whose message names the refused request and the remedy. */
    public RefusedForNowException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /** The queue has a different number of partitions than the client used; nothing was done. */
  final class PartitionCountException extends PartitionException {
    private static final long serialVersionUID = 1L;

    private final int partitions;

    /** Creates an exception for a queue with this number of partitions. */
    public PartitionCountException(int partitions, @Nullable Throwable cause) {
      super(
          "The queue has " + partitions + " partitions; this client used a different number",
          cause);
      this.partitions = partitions;
    }

    /** Returns the queue's number of partitions. */
    public int partitions() {
      return partitions;
    }
  }

  /**
   * A request was not executed, and never will be. Its cause is a {@link
   * io.punctual.StoreRefusedException} if the store refuses every request until somebody fixes the
   * reason, such as a changed password.
   */
  final class NotSentException extends PunctualException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception whose message names the failure. */
    public NotSentException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}
