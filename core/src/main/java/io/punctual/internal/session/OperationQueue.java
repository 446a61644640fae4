package io.punctual.internal.session;

import io.punctual.Durability;
import io.punctual.internal.runtime.Backlog;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The operations that do not belong to a call yet, in the order of their submission. Not
 * thread-safe.
 */
final class OperationQueue {
  private static final int CALL_BYTES = 1 << 20;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Pending.OfOperation> waiting = new LinkedList<>();

  private final Backlog backlog;
  private boolean flushed;

  OperationQueue(Backlog backlog) {
    this.backlog = backlog;
  }

  /** Creates an empty queue with the same backlog. */
  OperationQueue(OperationQueue before) {
    this(before.backlog);
  }

  int size() {
    return waiting.size();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Adds an operation whose caller waits, so that the operation does not linger. */
  void add(Pending.OfOperation operation) {
    flushed = true;
    addDeferrable(operation);
  }

  /** Adds an operation that may linger until more operations share its call. */
  void addDeferrable(Pending.OfOperation operation) {
    long bytes = Backlog.bytesOf(operation.operation());
    waiting.add(operation);
    backlog.add(bytes); // last, because it needs no memory
  }

  /** Returns whether there are operations that need not linger any more. */
  boolean isFlushed() {
    return flushed && !waiting.isEmpty();
  }

  /** Ends the linger of the deferrable operations: the next call to the store may have them. */
  void flush() {
    flushed = !waiting.isEmpty();
  }

  /**
   * Returns the next call, with operations from the front. The call has at most {@code limit}
   * operations, which require the same durability and fit into the size of a call; a larger
   * operation gets a call of its own. The queue must not be empty.
   */
  InFlightCall nextCall(int limit) {
    List<Pending.OfOperation> next = new ArrayList<>();
    Durability durability = waiting.element().durability();
    int bytes = 0;
    for (Pending.OfOperation each : waiting) {
      bytes += bytes(each.operation());
      boolean fits = next.isEmpty() || bytes <= CALL_BYTES;
      if (next.size() == limit || !fits || !Objects.equals(durability, each.durability())) {
        break;
      }
      next.add(each);
    }
    return InFlightCall.of(next);
  }

  /** Removes the operations of the next call, which are in the log now. */
  void removed(InFlightCall call) {
    for (int left = call.operations().size(); left > 0; left--) {
      remove();
    }
    flush();
  }

  /** Moves all operations to another queue, one by one. */
  void moveTo(OperationQueue other) {
    for (Pending.OfOperation next = waiting.peek(); next != null; next = waiting.peek()) {
      other.add(next);
      remove();
    }
  }

  private void remove() {
    backlog.remove(waiting.remove().operation());
  }

  private static int bytes(Operation operation) {
    Content content = operation.content();
    return content == null ? 64 : content.approximateBytes();
  }

  /** Removes withdrawn operations. */
  void removeWithdrawn(Consumer<Pending.OfOperation> removed) {
    Iterator<Pending.OfOperation> all = waiting.iterator();
    while (all.hasNext()) {
      Pending.OfOperation operation = all.next();
      if (operation.isWithdrawn()) {
        removed.accept(operation); // first, because an error must not lose the callback
        all.remove();
        backlog.remove(operation.operation());
      }
    }
  }

  /** Removes overdue operations. */
  void removeOverdue(long nowNanos, Consumer<Pending.OfOperation> removed) {
    for (Pending.OfOperation head = waiting.peek(); head != null; head = waiting.peek()) {
      if (head.deadlineNanos() - nowNanos > 0) {
        return;
      }
      removed.accept(head); // first, because an error must not lose the callback
      remove();
    }
  }

  /** Passes all operations to a receiver as one list, and removes them. */
  void drainTo(Consumer<List<Pending.OfOperation>> receiver) {
    receiver.accept(List.copyOf(waiting));
    while (!waiting.isEmpty()) {
      remove();
    }
  }

  void removeAll(Consumer<Pending.OfOperation> removed) {
    for (Pending.OfOperation head = waiting.peek(); head != null; head = waiting.peek()) {
      removed.accept(head);
      remove();
    }
  }

  /** Returns the deadline of the first operation, or {@code latest} if no deadline is earlier. */
  long firstDeadline(long latest) {
    Pending.OfOperation head = waiting.peek();
    return head == null || head.deadlineNanos() - latest > 0 ? latest : head.deadlineNanos();
  }
}
