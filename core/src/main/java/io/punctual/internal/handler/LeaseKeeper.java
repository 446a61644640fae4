package io.punctual.internal.handler;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.SettleOutcome;
import io.punctual.internal.delivery.ClientDelivery;
import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the leases of a handler's deliveries while the handler runs. It extends a lease when a
 * third of the lease has passed, unless renewals are off, or the handler has run for twice its
 * time-out. It notifies the listener of lost leases and of the time-out. It uses the timer, and no
 * thread of its own. Thread-safe.
 */
public final class LeaseKeeper<T> {
  private final Environment env;
  private final List<ClientDelivery<T>> deliveries;

  private final Runnable look = this::look;

  @GuardedBy("this") private final boolean[] extending;

  private final long leaseMillis;
  private final long timeoutNanos;
  private final LeaseListener listener;

  @GuardedBy("this") private boolean renew;

  @GuardedBy("this") private long endNanos;

  @GuardedBy("this") private @Nullable Timeout next;

  @GuardedBy("this") private boolean stopped;

  @GuardedBy("this") private int timeOuts;

  /** Receives notices. The calling thread holds no lock. */
  public interface LeaseListener {
    /** Reports that a lease is lost. */
    void leaseLost();

    /** Reports once that the handler has reached its time-out. */
    void timeIsOver();

    /** Reports once that the handler has run for the length of the time-out again. */
    void timeIsOverAgain();
  }

  /** Creates a keeper. A {@code timeoutNanos} of {@link Long#MAX_VALUE} means no time-out. */
  public LeaseKeeper(
      Environment env,
      List<ClientDelivery<T>> deliveries,
      long leaseMillis,
      boolean renew,
      long timeoutNanos,
      LeaseListener listener) {
    this.env = env;
    this.deliveries = deliveries;
    this.extending = new boolean[deliveries.size()];
    this.leaseMillis = leaseMillis;
    this.renew = renew;
    this.timeoutNanos = timeoutNanos;
    this.endNanos = env.nanoTime() + timeoutNanos;
    this.listener = listener;
  }

  void start() {
    Runnable moved = this::moved;
    Runnable lost = this::leaseLost;
    for (ClientDelivery<T> delivery : deliveries) {
      delivery.held().whenExtended(moved);
      delivery.held().loss().add(lost);
    }
    moved();
  }

  private void leaseLost() {
    if (isActive()) {
      listener.leaseLost();
    }
  }

  private synchronized boolean isActive() {
    return !stopped;
  }

  /**
   * Adapts the timer to a changed deadline: an extension by the handler may have shortened the
   * lease.
   */
  private synchronized void moved() {
    scheduleNext();
  }

  synchronized void stop() {
    stopped = true;
    if (next != null) {
      next.cancel();
    }
  }

  @GuardedBy("this") private void scheduleNext() {
    if (stopped) {
      return;
    }
    Timeout before = next;
    long wait = nextNanos(env.nanoTime());
    next = wait == Long.MAX_VALUE ? null : env.ifOpen(Math.max(0, wait), look);
    if (before != null) {
      before.cancel(); // last, because after an error above it still has to look
    }
  }

  /**
   * Returns the nanoseconds until the next extension, lease end or time-out, or {@link
   * Long#MAX_VALUE}.
   */
  @GuardedBy("this") private long nextNanos(long now) {
    long wait = hasEnd() ? endNanos - now : Long.MAX_VALUE;
    for (int i = 0; i < extending.length; i++) {
      ClientDelivery<T> delivery = deliveries.get(i);
      if (isMinded(delivery)) {
        long left = delivery.held().remainingNanos(now);
        wait = Math.min(wait, renew && !extending[i] ? left - twoThirdsNanos() : left);
      }
    }
    return wait;
  }

  @GuardedBy("this") private boolean hasEnd() {
    return timeoutNanos != Long.MAX_VALUE && timeOuts < 2;
  }

  /**
   * Returns whether a time-out has passed now, and counts it. The second time-out starts now, so
   * that the handler has time to react.
   */
  @GuardedBy("this") private boolean endsNow(long now) {
    if (!hasEnd() || endNanos - now > 0) {
      return false;
    }
    timeOuts++;
    endNanos = now + timeoutNanos;
    renew &= timeOuts < 2;
    return true;
  }

  private long twoThirdsNanos() {
    return leaseNanos() / 3 * 2;
  }

  private void look() {
    try {
      lookNow();
    } catch (Throwable e) {
      lookAgain();
      throw e;
    }
  }

  /** After an error, looks again at all leases, because some may be due and not extended. */
  private synchronized void lookAgain() {
    Arrays.fill(extending, false);
    scheduleNext();
  }

  private void lookNow() {
    List<Integer> lost = new ArrayList<>();
    List<Integer> due = new ArrayList<>();
    boolean over;
    boolean first;
    synchronized (this) {
      if (stopped) {
        return;
      }
      long now = env.nanoTime();
      over = endsNow(now);
      first = timeOuts == 1;
      sort(now, lost, due);
      scheduleNext();
    }
    lost.forEach(i -> deliveries.get(i).held().lose());
    if (over && first) {
      listener.timeIsOver();
    } else if (over) {
      listener.timeIsOverAgain();
    }
    due.forEach(this::extend);
  }

  @GuardedBy("this") private void sort(long now, List<Integer> lost, List<Integer> due) {
    for (int i = 0; i < extending.length; i++) {
      ClientDelivery<T> delivery = deliveries.get(i);
      long left = delivery.held().remainingNanos(now);
      if (!isMinded(delivery)) {
        continue;
      }
      if (left <= 0) {
        extending[i] = true;
        lost.add(i);
      } else if (renew && !extending[i] && left <= twoThirdsNanos()) {
        extending[i] = true;
        due.add(i);
      }
    }
  }

  private static boolean isMinded(ClientDelivery<?> delivery) {
    return !delivery.isSettled() && !delivery.held().isKnownLost();
  }

  private void extend(int i) {
    CompletableFuture<?> unused =
        deliveries
            .get(i)
            .held()
            .extend(leaseMillis)
            .whenComplete((settled, failure) -> extended(i, settled));
  }

  private void extended(int i, @Nullable SettleOutcome settled) {
    boolean waits = false;
    try {
      if (settled == null) {
        env.timer().schedule(leaseNanos() / 10, () -> mayExtend(i));
        waits = true;
      }
    } finally {
      if (!waits) {
        mayExtend(i);
      }
    }
  }

  private synchronized void mayExtend(int i) {
    extending[i] = false;
    scheduleNext();
  }

  private long leaseNanos() {
    return TimeUnit.MILLISECONDS.toNanos(leaseMillis);
  }
}
