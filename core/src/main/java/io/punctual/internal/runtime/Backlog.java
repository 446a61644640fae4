package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.ClientBusyException;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import java.util.Deque;
import java.util.LinkedList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the bytes of a client's schedules that wait for the store, over all of its queues. A bound
 * on the number of schedules alone would not bound their memory. Thread-safe.
 *
 * <p>The client reserves room before it submits schedules, and releases the reservation after the
 * submission. From the submission on, the sessions count the contents of all operations that wait
 * to be sent.
 */
public final class Backlog {
  private static final long MOST_BY_DEFAULT = 256L << 20;

  private final long limit;
  private final AtomicLong bytes = new AtomicLong();

  private final ReentrantLock lock = new ReentrantLock();

  /**
   * The callers that wait for room, in the order of their arrival; only the first caller may take
   * room.
   */
  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  @GuardedBy("lock") private final Deque<Condition> waiting = new LinkedList<>();

  /** The number of callers that wait for room, which threads also read without the lock. */
  private final AtomicInteger waiters = new AtomicInteger();

  /** Creates a backlog that is full at this many bytes. */
  public Backlog(long limit) {
    this.limit = limit;
  }

  /** Returns an eighth of the largest heap, and 256 MiB at most. */
  public static long defaultLimit() {
    return Math.min(MOST_BY_DEFAULT, Runtime.getRuntime().maxMemory() / 8);
  }

  /**
   * Reserves room for schedules, which may exceed the limit if the backlog is not full yet. The
   * backlog counts as full while callers wait for room, because free room belongs to the longest
   * waiting caller. So a caller that does not wait can be refused although room is free.
   *
   * @param timeoutNanos how long the calling thread waits at most for room; 0 for no wait
   * @throws ClientBusyException if the backlog stays full, or if the thread is interrupted; its
   *     interrupt flag is then set
   */
  public void reserve(long wanted, long timeoutNanos) {
    if (waiters.get() == 0 && tryReserve(wanted)) {
      return;
    }
    try {
      if (timeoutNanos > 0 && awaitRoom(wanted, timeoutNanos)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw interrupted(e);
    }
    throw new ClientBusyException(
        "This client has "
            + bytes
            + " bytes of schedules waiting for the store and accepts no more; nothing was done."
            + " Wait for answers before you send more, or raise the client's operationBytes");
  }

  private ClientBusyException interrupted(InterruptedException cause) {
    ClientBusyException interrupted =
        new ClientBusyException(
            "The thread was interrupted while a schedule waited for room, because this client has "
                + bytes
                + " bytes of schedules waiting for the store; nothing was sent");
    interrupted.initCause(cause);
    return interrupted;
  }

  private boolean awaitRoom(long wanted, long timeoutNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      return awaitTurn(wanted, timeoutNanos);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock") private boolean awaitTurn(long wanted, long timeoutNanos) throws InterruptedException {
    Condition turn = lock.newCondition();
    waiting.add(turn);
    // The count rises before the check of the bytes, so that a release after the check sees this
    // waiter.
    waiters.incrementAndGet();
    try {
      long left = timeoutNanos;
      while (waiting.peek() != turn || !tryReserve(wanted)) {
        if (left <= 0) {
          return false;
        }
        left = turn.awaitNanos(left);
      }
      return true;
    } finally {
      waiters.decrementAndGet();
      waiting.remove(turn);
      wakeFirst();
    }
  }

  /** Lets the longest waiting caller check for room. */
  @GuardedBy("lock") private void wakeFirst() {
    Condition first = waiting.peek();
    if (first != null) {
      first.signal();
    }
  }

  private boolean tryReserve(long wanted) {
    for (long now = bytes.get(); now < limit; now = bytes.get()) {
      if (bytes.compareAndSet(now, now + wanted)) {
        return true;
      }
    }
    return false;
  }

  /** Releases a reservation. */
  public void release(long given) {
    if (bytes.addAndGet(-given) < limit && waiters.get() > 0) {
      lock.lock();
      try {
        wakeFirst();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Counts the bytes of an operation that starts to wait. */
  public void add(long more) {
    bytes.addAndGet(more);
  }

  /** Stops counting an operation that no longer waits. */
  public void remove(Operation operation) {
    release(bytesOf(operation));
  }

  /**
   * Returns the number of bytes with which an operation counts in the backlog: the size of its
   * content.
   */
  public static long bytesOf(Operation operation) {
    Content content = operation.content();
    return content == null ? 0 : content.approximateBytes();
  }
}
