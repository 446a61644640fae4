package io.punctual.internal.claim;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.delivery.ClaimLease;
import io.punctual.internal.runtime.Environment;
import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The messages that a {@link ClaimLine} has claimed in advance, for callers that ask soon. The
 * number doubles from claim to claim while messages stay due, up to the number that callers take in
 * half of {@link #WAIT_NANOS} at their latest pace. Thread-safe; its monitor guards all state.
 */
final class ClaimPrefetch {
  /** How long messages wait for callers before they return to the queue. */
  static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Environment env;
  private final int most;
  private final Runnable onIdle;

  /** The number of messages that the last claim requested in advance. */
  @GuardedBy("this") private int asked;

  /** The lease of the last reply, if further messages were due and callers may ask soon. */
  @GuardedBy("this") private @Nullable ClaimLease last;

  /** The number of messages in the last reply. */
  @GuardedBy("this") private int received;

  @GuardedBy("this") private @Nullable Stock stock;

  /** The returns of messages to the queue that are in progress. */
  @GuardedBy("this") private final Set<Return> returns = new LinkedHashSet<>();

  /** Whether the client is closed, so that no message waits for a later caller. */
  @GuardedBy("this") private boolean closed;

  /**
   * Messages of one reply.
   *
   * @param claimed the messages
   * @param lease their lease
   * @param source the member that returns the messages to the queue if no caller takes them
   */
  record Stock(Reply.Claimed claimed, ClaimLease lease, ClaimLine.Member source) {
    private int size() {
      return claimed.messages().size();
    }

    /**
     * Returns the messages from index {@code from} to {@code to}, exclusive, together with these
     * unreadable messages.
     */
    Stock part(int from, int to, List<Reply.Unreadable> unreadable) {
      Reply.Claimed part =
          new Reply.Claimed(
              claimed.messages().subList(from, to),
              unreadable,
              claimed.token(),
              claimed.engineMicros(),
              claimed.untilNextMicros());
      return new Stock(part, lease, source);
    }
  }

  /**
   * Creates an empty prefetch.
   *
   * @param most the largest number of messages in advance; 0 or more
   * @param onIdle runs without the lock after each wait for callers, and after each return of
   *     messages to the queue
   */
  ClaimPrefetch(Environment env, int most, Runnable onIdle) {
    this.env = env;
    this.most = most;
    this.onIdle = onIdle;
  }

  /** Returns and records the number of messages that the next claim requests in advance. */
  synchronized int ask() {
    asked = last == null ? 0 : Math.min(Math.max(1, 2 * asked), inTime(last));
    last = null;
    return asked;
  }

  @GuardedBy("this") private int inTime(ClaimLease since) {
    long elapsed = Math.max(1, env.nanoTime() - since.receivedNanos());
    return (int) Math.min(most, received * (WAIT_NANOS / 2) / elapsed);
  }

  synchronized boolean hasMessages() {
    return stock != null;
  }

  /**
   * Returns whether this prefetch is unused: it keeps no messages, gives none back to the queue,
   * and the next claim requests none in advance.
   */
  synchronized boolean isIdle() {
    return stock == null && last == null && returns.isEmpty();
  }

  /** Removes and returns the first messages, at least one; null if there are none. */
  synchronized @Nullable Stock take(int max) {
    Stock all = removeAll();
    if (all == null) {
      return null;
    }
    int taken = Math.min(max, all.size());
    if (taken < all.size()) {
      stock = all.part(taken, all.size(), List.of());
    }
    return all.part(0, taken, List.of());
  }

  @GuardedBy("this") private @Nullable Stock removeAll() {
    Stock all = stock;
    stock = null;
    return all;
  }

  /**
   * Keeps the messages of a reply that have no caller, and begins to wait for callers.
   *
   * @param all the messages of the reply
   * @param called the number of messages that callers want, which may exceed the number in the
   *     reply
   * @param moreAreDue whether the claim left due messages in the partition
   * @return the number of messages at the start of the reply that are not kept
   */
  int keepRest(Stock all, int called, boolean moreAreDue) {
    int size = all.size();
    synchronized (this) {
      if (closed) {
        return size;
      }
      received = size;
      last = moreAreDue && most > 0 ? all.lease() : null;
      stock = called < size ? all.part(called, size, List.of()) : null;
      if (last == null && stock == null) {
        return size;
      }
    }
    try {
      env.timer().schedule(WAIT_NANOS, () -> endWait(all.lease()));
    } catch (RuntimeException notScheduled) {
      // The timer is closed with the client.
      endWait(all.lease());
    }
    return Math.min(called, size);
  }

  private void endWait(ClaimLease lease) {
    Return rest = null;
    synchronized (this) {
      if (lease.equals(last)) {
        last = null;
      }
      if (stock != null && stock.lease().equals(lease)) {
        rest = returnAll();
      }
    }
    if (rest != null) {
      rest.run();
    }
    onIdle.run();
  }

  /** Removes all messages, and registers their return; the caller runs it without the monitor. */
  @GuardedBy("this") private @Nullable Return returnAll() {
    Stock rest = removeAll();
    if (rest == null) {
      return null;
    }
    Return added = new Return(rest);
    returns.add(added);
    return added;
  }

  /** A return of messages to the queue. */
  private final class Return {
    private final Stock rest;
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    Return(Stock rest) {
      this.rest = rest;
    }

    void run() {
      CompletableFuture<?> unused =
          rest.source().giveBack(rest.claimed(), rest.lease()).whenComplete((a, b) -> ended());
    }

    private void ended() {
      synchronized (ClaimPrefetch.this) {
        returns.remove(this);
      }
      end.complete(null);
      onIdle.run();
    }
  }

  /**
   * Returns all messages to the queue, and from now on keeps no messages. Completes when the store
   * has them, or when the blocking time-out has passed.
   */
  CompletableFuture<?> close() {
    Return rest;
    CompletableFuture<@Nullable Void> end;
    synchronized (this) {
      closed = true;
      last = null;
      rest = returnAll();
      end =
          CompletableFuture.allOf(
              returns.stream().map(each -> each.end).toArray(CompletableFuture<?>[]::new));
    }
    if (rest != null) {
      rest.run();
    }
    if (!end.isDone()) {
      Timeout over = env.orNow(env.blockingTimeout(), () -> end.complete(null));
      CompletableFuture<?> unused = end.whenComplete((nothing, failure) -> over.cancel());
    }
    return end;
  }
}
