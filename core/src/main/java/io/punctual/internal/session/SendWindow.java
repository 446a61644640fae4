package io.punctual.internal.session;

import io.punctual.ClientBusyException;
import io.punctual.internal.runtime.Backlog;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.Deque;
import java.util.LinkedList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the next call of a session. Does no I/O. Guarded by its session's lock.
 *
 * <p>Operations that are submitted while calls are in flight share the next call. A partition that
 * {@linkplain Partition#prefersBatching prefers batching} gets one call with operations at a time,
 * unless {@link Partition#MANY_OPERATIONS} or more are in flight. The next call with operations
 * waits until all callers of the last call were notified, because callers then often submit further
 * operations. Other partitions get two calls with operations at a time. Claims are calls of their
 * own; claims and operations take turns.
 *
 * <p>Deferrable operations linger for a limited time. The linger ends earlier if another call
 * leaves, if there are enough operations for a call of their own, or if the session {@linkplain
 * #flush flushes} them.
 */
final class SendWindow {
  private static final int CALLS = 2;

  private final Partition partition;
  private final int operationLimit;
  private final OperationQueue operations;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Pending.OfClaim> claims = new LinkedList<>();

  /**
   * The number of threads that are running callbacks. The next call with operations waits for them.
   */
  private int notifying;

  /** Whether the last new call was a claim, so that the next call has operations. */
  private boolean claimedLast;

  private boolean lingering;

  /** The time at which the first linger ends, on the timer's clock. */
  private long lingerEndNanos;

  SendWindow(Partition partition, int operationLimit, Backlog backlog) {
    this.partition = partition;
    this.operationLimit = operationLimit;
    this.operations = new OperationQueue(backlog);
  }

  /** Creates an empty window of the same partition. */
  SendWindow(SendWindow before) {
    this.partition = before.partition;
    this.operationLimit = before.operationLimit;
    this.operations = new OperationQueue(before.operations);
  }

  boolean isEmpty() {
    return operations.isEmpty() && claims.isEmpty();
  }

  /** Moves all operations and claims to another window, one by one. */
  void moveTo(SendWindow other) {
    operations.moveTo(other.operations);
    for (Pending.OfClaim claim = claims.peek(); claim != null; claim = claims.peek()) {
      other.claims.add(claim);
      claims.remove();
    }
  }

  OperationQueue operations() {
    return operations;
  }

  /**
   * Returns the exception if the operations are refused, or null if they are accepted. A batch is
   * accepted as a whole or refused as a whole. Settlements are always accepted.
   */
  @Nullable RuntimeException refusal(List<? extends Operation> submitted) {
    boolean settles = !submitted.isEmpty() && submitted.get(0) instanceof Operation.Settlement;
    return settles || operations.size() < operationLimit
        ? null
        : new ClientBusyException(
            "Queue '"
                + partition.queue()
                + "' has "
                + operations.size()
                + " operations waiting for the store and accepts no more; nothing was done. Wait"
                + " for answers before you send more, or raise the client's operationLimit");
  }

  void add(Pending.OfClaim claim) {
    claims.add(claim);
  }

  /**
   * Adds an operation that may linger until {@code untilNanos} on the timer's clock. Returns
   * whether the session must call {@link #lingerEnded} at that time.
   */
  boolean addDeferrable(Pending.OfOperation operation, long untilNanos) {
    operations.addDeferrable(operation);
    if (operations.size() >= Math.min(Partition.MANY_OPERATIONS, operationLimit / 2)) {
      operations.flush();
    }
    boolean isFirst = !lingering || untilNanos - lingerEndNanos < 0;
    if (operations.isFlushed() || !isFirst) {
      return false;
    }
    lingering = true;
    lingerEndNanos = untilNanos;
    return true;
  }

  /** Ends the linger of the deferrable operations: the next call to the store may have them. */
  void flush() {
    operations.flush();
  }

  /** Records that the linger has ended. */
  void lingerEnded() {
    lingering = false;
    operations.flush();
  }

  /** Removes a waiting claim; returns whether there was such a claim. */
  boolean withdraw(ClaimCallback callback) {
    return claims.removeIf(claim -> claim.callback() == callback);
  }

  void removeClaims(Consumer<Pending.OfClaim> removed) {
    for (Pending.OfClaim claim = claims.peek(); claim != null; claim = claims.peek()) {
      removed.accept(claim); // first, because an error must not lose the callback
      claims.remove();
    }
  }

  /** Notes that a thread begins to notify callers. */
  void notifying() {
    notifying++;
  }

  /** Notes that a thread has notified its callers. */
  void notified() {
    notifying--;
  }

  /**
   * Adds the next new call to the log, and then removes its parts from this window. Returns the
   * call, or null if nothing may be sent now.
   */
  @Nullable InFlightCall next(CallLog log, int unconfirmed) {
    if (log.isFull()) {
      return null;
    }
    boolean operationsNext = claims.isEmpty() || claimedLast;
    if (operationsNext && operations.isFlushed() && maySendOperations(log, unconfirmed)) {
      InFlightCall call = operations.nextCall(partition.operationsPerCall());
      log.add(call);
      operations.removed(call);
      claimedLast = false;
      return call;
    }
    Pending.OfClaim claim = claims.peek();
    if (claim == null) {
      return null;
    }
    InFlightCall call = InFlightCall.of(claim);
    log.add(call);
    claims.remove();
    claimedLast = true;
    operations.flush();
    return call;
  }

  private boolean maySendOperations(CallLog log, int unconfirmed) {
    if (notifying > 0 || unconfirmed >= operationLimit) {
      return false;
    }
    int callsInFlight = 0;
    int inFlight = 0;
    for (InFlightCall call : log.calls()) {
      callsInFlight += call.hasOperations() ? 1 : 0;
      inFlight += call.operations().size();
    }
    boolean oneAtATime = partition.prefersBatching() && inFlight < Partition.MANY_OPERATIONS;
    return callsInFlight < (oneAtATime ? 1 : CALLS);
  }
}
