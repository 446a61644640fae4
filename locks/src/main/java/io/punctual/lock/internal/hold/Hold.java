package io.punctual.lock.internal.hold;

import io.punctual.internal.log.Logs;
import io.punctual.lock.LockHandle;
import io.punctual.lock.LockKind;
import io.punctual.lock.ReleaseOutcome;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * An acquired lock with its lease.
 *
 * <p>The state changes from held to released or to lost. A released lock becomes lost if the reply
 * to the release says that the handle no longer held it. Replies to renewals have no effect on a
 * lock that is not held. The monitor of this object is not held while a request is sent or a
 * callback runs. Thread-safe.
 */
public abstract class Hold extends AbstractHandle {
  private static final Logger log = Logs.of(Hold.class);

  private final Watchdog watchdog;
  private final LockClient client;
  private final LockKind kind;
  private final String name;
  private final LockOptions options;
  private final long token;
  private final long sinceNanos;

  private final LockLease lease;
  private State state = State.HELD;
  private List<Consumer<? super LockHandle>> onLost = new ArrayList<>();
  private final CompletableFuture<ReleaseOutcome> outcome = new CompletableFuture<>();
  private @Nullable Timeout next;

  private enum State {
    HELD,
    GIVEN_BACK,
    LOST
  }

  protected Hold(
      Watchdog watchdog,
      LockKind kind,
      String name,
      LockOptions options,
      long token,
      LockLease lease) {
    this.watchdog = watchdog;
    this.client = watchdog.client();
    this.kind = kind;
    this.name = name;
    this.options = options;
    this.token = token;
    this.sinceNanos = client.nanoTime();
    this.lease = lease;
  }

  /**
   * Renews the lease. The reply leads to a call of {@link #renewed} or {@link #lose}, or to a
   * further renewal.
   */
  protected abstract void renew();

  /** Releases the lock on the server; the future does not fail. */
  protected abstract CompletableFuture<ReleaseOutcome> sendRelease();

  /**
   * Passes the lock to the next holder in this client, or releases it on the server; the future
   * does not fail.
   */
  CompletableFuture<ReleaseOutcome> handBack() {
    return sendRelease();
  }

  /**
   * Ends this hold, but keeps the lock taken on the server for this time; the future does not fail.
   */
  protected abstract CompletableFuture<ReleaseOutcome> keep(long millis);

  /**
   * Extends the lease to at least this length; completes with true if the lock is held, else with
   * false.
   */
  protected abstract CompletableFuture<Boolean> askToExtend(long leaseMillis);

  /** Returns the watchdog that renews the lease. */
  protected Watchdog watchdog() {
    return watchdog;
  }

  @Override
  public LockClient client() {
    return client;
  }

  public LockOptions options() {
    return options;
  }

  /** Returns the fencing token, or 0 for locks without tokens. */
  public long token() {
    return token;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long fencingToken() {
    if (token == 0) {
      throw new UnsupportedOperationException(
          "Locks of the kind " + kind + " have no fencing tokens; use a mutex for a token");
    }
    return token;
  }

  @Override
  public Map<String, Long> fencingTokens() {
    return token == 0 ? Map.of() : Map.of(name, token);
  }

  @Override
  public synchronized boolean isHeld() {
    return state == State.HELD && remainingNanos() > 0;
  }

  long remainingNanos() {
    return lease.remainingNanos(client.nanoTime());
  }

  @Override
  public Duration remaining() {
    return isHeld() ? Duration.ofNanos(Math.max(0, remainingNanos())) : Duration.ZERO;
  }

  /** Returns the lease, which successive holders in this client can share. */
  public LockLease lease() {
    return lease;
  }

  /** Records a renewal; a lease that has ended stays ended. */
  protected void renewed(long until) {
    lease.renewed(until, client.nanoTime());
  }

  /**
   * Sets the timer's next task for this hold, in place of the previous task. The end of the hold
   * cancels it.
   */
  synchronized void plan(@Nullable Timeout timeout) {
    if (next != null) {
      next.cancel();
    }
    if (state == State.HELD) {
      next = timeout;
    } else if (timeout != null) {
      timeout.cancel();
    }
  }

  @Override
  public void onLost(Consumer<? super LockHandle> callback) {
    boolean isLost;
    synchronized (this) {
      isLost = state == State.LOST;
      if (!isLost) {
        onLost.add(callback);
      }
    }
    if (isLost) {
      notifyLost(callback);
    }
  }

  /**
   * Marks the lock as lost, runs the callbacks, and sends a release; does nothing if the hold has
   * ended before.
   */
  protected void lose(String reason) {
    lose(reason, 0);
  }

  private void lose(String reason, long keepMillis) {
    if (end(State.LOST)) {
      lost(reason);
      // The server may still count this handle as the holder. A release then lets waiters get the
      // lock sooner, unless the lock has to stay taken.
      CompletableFuture<?> unused = keepMillis > 0 ? keep(keepMillis) : sendRelease();
    }
  }

  private void lost(String reason) {
    List<Consumer<? super LockHandle>> callbacks;
    synchronized (this) {
      state = State.LOST;
      callbacks = onLost;
      onLost = new ArrayList<>();
    }
    log.debug("Lock '{}' is lost: {}", name, reason);
    client.events().lost(kind, name, token, client.nanoTime() - sinceNanos, reason);
    outcome.complete(ReleaseOutcome.LOST);
    callbacks.forEach(this::notifyLost);
  }

  private void notifyLost(Consumer<? super LockHandle> callback) {
    client.executor().execute(() -> call(callback));
  }

  private void call(Consumer<? super LockHandle> callback) {
    try {
      callback.accept(this);
    } catch (Throwable e) {
      log.warn("The onLost callback of lock '{}' threw; fix the callback", name, e);
    }
  }

  private boolean end(State end) {
    synchronized (this) {
      if (state != State.HELD) {
        return false;
      }
      state = end;
      if (next != null) {
        next.cancel();
      }
    }
    watchdog.forget(this);
    return true;
  }

  /** Releases the lock; the future does not fail. */
  public CompletableFuture<ReleaseOutcome> giveBack() {
    return giveBack(0);
  }

  @Override
  public CompletableFuture<ReleaseOutcome> giveBack(long keepMillis) {
    if (remainingNanos() <= 0) {
      lose("its lease ran out", keepMillis);
    } else if (end(State.GIVEN_BACK)) {
      (keepMillis > 0 ? keep(keepMillis) : handBack()).thenAccept(this::gone);
    }
    return outcome;
  }

  @Override
  public CompletableFuture<Boolean> prolong(Duration lease) {
    long millis = LockOptions.ownLease(lease);
    return isHeld() ? askToExtend(millis) : CompletableFuture.completedFuture(false);
  }

  private void gone(ReleaseOutcome came) {
    if (came == ReleaseOutcome.LOST) {
      lost("it was gone before its release");
    } else {
      client.events().released(kind, name, client.nanoTime() - sinceNanos, came);
      outcome.complete(came);
    }
  }

  /**
   * Ends the hold without a request to the server, before a different handle takes over the lock;
   * returns false if the hold or its lease has already ended.
   */
  public boolean beginHandOver() {
    return remainingNanos() > 0 && end(State.GIVEN_BACK);
  }

  /** Ends a hand-over with this outcome; see {@link #beginHandOver}. */
  public void handedOver(ReleaseOutcome came) {
    gone(came);
  }

  @Override
  public String toString() {
    return kind + " '" + name + "'" + (isHeld() ? " held" : " not held");
  }
}
