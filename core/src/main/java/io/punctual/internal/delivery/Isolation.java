package io.punctual.internal.delivery;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the {@link Suspects} of a client apart: messages whose last attempts ended without a
 * result, so that one of them may end each process that receives it. The client holds one suspect
 * at a time, beside any number of other messages. The other suspects return to the queue, and are
 * due again at different times. So a message that ends its process costs no other suspect an
 * attempt.
 *
 * <p>A suspect holds the place until it is settled or its lease ends, and for a limited time,
 * because a handler may run for hours. The limit grows with the number of attempts without a
 * result. Thread-safe.
 */
public final class Isolation {
  /** The mean time between the due times of two suspects that return to the queue. */
  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * The mean time in which further suspects may arrive. After the end of a process, the answers to
   * the claims of its successor arrive within such a time.
   */
  private static final long ARRIVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The longest additional wait of a suspect that found the place taken. */
  private static final long BUSY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The largest power of four in the limit of a stay, in leases. */
  private static final int LONGEST = 5;

  /** The longest lease that counts for that limit: a claim may lease a message for hours. */
  private static final long LONGEST_LEASE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Environment env;

  /** The suspect that has the place; null if the place is free. Written under the monitor. */
  private volatile @Nullable Stay stay;

  /** The last due time that {@link #away} has given to a suspect. */
  @GuardedBy("this") private long lastDueNanos;

  /** The suspects that this client returns to the queue now. */
  @GuardedBy("this") private CompletableFuture<?> returns = CompletableFuture.completedFuture(null);

  /**
   * @param leasedUntil the end of the suspect's lease
   * @param latest the latest end of the stay
   */
  private record Stay(String id, long token, long since, long leasedUntil, long latest) {
    boolean isOver(long now) {
      return leasedUntil - now <= 0 || latest - now <= 0;
    }

    boolean isOf(String message, long itsToken) {
      return token == itsToken && id.equals(message);
    }
  }

  public Isolation(Environment env) {
    this.env = env;
    this.lastDueNanos = env.nanoTime();
  }

  /**
   * Gives the place to a suspect; returns false if it is taken.
   *
   * @param leasedUntil the end of its lease
   * @param unsettled the number of attempts without a result
   */
  synchronized boolean enter(String id, long token, long leasedUntil, int unsettled) {
    long now = env.nanoTime();
    Stay other = stay;
    if (other != null && !other.isOver(now)) {
      return false;
    }
    long lease = Math.max(1, Math.min(LONGEST_LEASE_NANOS, leasedUntil - now));
    long most = lease << (2 * Math.min(LONGEST, unsettled));
    stay = new Stay(id, token, now, leasedUntil, now + most);
    return true;
  }

  /** Notes that the lease of a message was extended until this time. */
  public void extended(String id, long token, long leasedUntil) {
    if (stay != null) {
      extend(id, token, leasedUntil);
    }
  }

  private synchronized void extend(String id, long token, long leasedUntil) {
    Stay old = stay;
    if (old != null && old.isOf(id, token)) {
      stay = new Stay(id, token, old.since(), leasedUntil, old.latest());
    }
  }

  /** Notes that a message is settled, or that its lease is lost. */
  void left(String id, long token) {
    if (stay != null) {
      leave(id, token);
    }
  }

  private synchronized void leave(String id, long token) {
    Stay ended = stay;
    if (ended != null && ended.isOf(id, token)) {
      stay = null;
    }
  }

  /** Notes that a suspect returns to the queue, until this future completes. */
  synchronized void returning(CompletableFuture<?> end) {
    returns = returns.isDone() ? end : CompletableFuture.allOf(returns, end);
  }

  /**
   * Runs a step in which a consumer receives the admitted suspect: when the other suspects are back
   * in the queue, because this one may end the process at once, but at the latest when half of the
   * rest of its lease has passed.
   */
  public void whenReturned(ClaimLease lease, Runnable step) {
    CompletableFuture<?> others;
    synchronized (this) {
      others = returns;
    }
    if (others.isDone()) {
      step.run();
      return;
    }
    AtomicBoolean began = new AtomicBoolean();
    Runnable once =
        () -> {
          if (began.compareAndSet(false, true)) {
            step.run();
          }
        };
    Timeout latest = env.orNow(Duration.ofNanos(remainingNanos(lease) / 2), once);
    CompletableFuture<?> unused =
        others.whenComplete(
            (none, failure) -> {
              latest.cancel();
              once.run();
            });
  }

  /**
   * Runs a step like {@link #whenReturned}, after a time in which other suspects may arrive. The
   * time is random: otherwise a message that was claimed at the last end of a process might be
   * claimed at the next one, too. It is at most half of the lease.
   */
  public void whenAllReturned(ClaimLease lease, Runnable step) {
    long mean = Math.min(ARRIVAL_NANOS, Math.max(2, remainingNanos(lease) / 5));
    Duration arrival = Duration.ofNanos(mean + random(mean));
    Timeout unused = env.orNow(arrival, () -> whenReturned(lease, step));
  }

  private long remainingNanos(ClaimLease lease) {
    return Math.max(0, lease.deadlineNanos() - env.nanoTime());
  }

  /** Returns a random time with this mean. */
  private long random(long meanNanos) {
    return env.randomGenerator().nextLong(meanNanos / 2, meanNanos + meanNanos / 2);
  }

  /** Returns the time after which a suspect that returns to the queue is due again. */
  synchronized Duration away() {
    long now = env.nanoTime();
    Stay busy = stay;
    long taken = busy == null ? 0 : Math.min(BUSY_NANOS, now - busy.since());
    long earliest = now + Math.max(2 * ARRIVAL_NANOS, taken);
    long due = (lastDueNanos - earliest > 0 ? lastDueNanos : earliest) + random(GAP_NANOS);
    lastDueNanos = due;
    return Duration.ofNanos(due - now);
  }
}
