package io.punctual.lock;

import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An acquired lock: its lease, and the end of its time as held, released or lost.
 *
 * <p>Goes from held to given back or to lost, once; a renewal that is answered later changes
 * nothing. The monitor of this object is not held while a request is sent or a callback runs.
 * Thread-safe.
 */
abstract class Hold implements LockHandle {
  private static final Logger log = LoggerFactory.getLogger(Hold.class);

  private final LockClient client;
  private final LockKind kind;
  private final String name;
  private final LockOptions terms;
  private final long token;
  private final long sinceNanos;

  private final Lease lease;
  private State state = State.HELD;
  private List<Consumer<? super LockHandle>> onLost = new ArrayList<>();
  private final CompletableFuture<ReleaseOutcome> outcome = new CompletableFuture<>();
  private @Nullable Timeout next;

  private enum State {
    HELD,
    GIVEN_BACK,
    LOST
  }

  Hold(LockClient client, LockKind kind, String name, LockOptions terms, long token, Lease lease) {
    this.client = client;
    this.kind = kind;
    this.name = name;
    this.terms = terms;
    this.token = token;
    this.sinceNanos = client.nanoTime();
    this.lease = lease;
  }

  /** Asks for a lease that begins anew; the answer comes to {@link #renewed} or {@link #lose}. */
  abstract void renew();

  /** Gives it up where it is kept; does not fail. */
  abstract CompletableFuture<ReleaseOutcome> farewell();

  /** Gives it to the next, or up; does not fail. */
  CompletableFuture<ReleaseOutcome> handBack() {
    return farewell();
  }

  /** Leaves it on the server for so long, where it then ends by itself; does not fail. */
  abstract CompletableFuture<ReleaseOutcome> keep(long millis);

  /** Asks for a lease that lasts at least so long; completes with whether it is held. */
  abstract CompletableFuture<Boolean> askToExtend(long leaseMillis);

  LockClient client() {
    return client;
  }

  LockOptions terms() {
    return terms;
  }

  /** Returns the fencing token, or 0 for locks without tokens. */
  long token() {
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
          "Locks of the kind " + kind + " have no fencing tokens; those of a mutex compare");
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

  Lease lease() {
    return lease;
  }

  /** Takes a renewal; a lease that has ended stays ended. */
  void renewed(long until) {
    lease.renewed(until, client.nanoTime());
  }

  /** Sets the next timer task, which the end of the hold cancels. */
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
      if (state == State.HELD) {
        onLost.add(callback);
      }
    }
    if (isLost) {
      tell(callback);
    }
  }

  /** The lock is lost, unless it was given back before. */
  void lose(String reason) {
    if (end(State.LOST)) {
      lost(reason);
      // The server may still count this handle as the holder; a release lets waiters go on sooner.
      CompletableFuture<?> unused = farewell();
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
    client.tally().lost(kind, name, token, client.nanoTime() - sinceNanos, reason);
    outcome.complete(ReleaseOutcome.LOST);
    callbacks.forEach(this::tell);
  }

  private void tell(Consumer<? super LockHandle> callback) {
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
    client.watchdog().forget(this);
    return true;
  }

  /** Gives it back; does not fail. */
  CompletableFuture<ReleaseOutcome> giveBack() {
    return giveBack(0);
  }

  /** Gives it back, to be free on the server after so long; does not fail. */
  CompletableFuture<ReleaseOutcome> giveBack(long keepMillis) {
    if (remainingNanos() <= 0) {
      lose("its lease ran out");
    } else if (end(State.GIVEN_BACK)) {
      (keepMillis > 0 ? keep(keepMillis) : handBack()).thenAccept(this::gone);
    }
    return outcome;
  }

  /** Extends its lease; completes with whether it is held. */
  CompletableFuture<Boolean> prolong(Duration lease) {
    long millis = LockOptions.ownLease(lease);
    return isHeld() ? askToExtend(millis) : CompletableFuture.completedFuture(false);
  }

  @Override
  public boolean extend(Duration lease) {
    return Extension.await(prolong(lease));
  }

  @Override
  public CompletionStage<Boolean> extendAsync(Duration lease) {
    return prolong(lease).thenApplyAsync(held -> held, client.executor());
  }

  @Override
  public ReleaseOutcome releaseAfter(Duration keep) {
    return await(
        giveBack(LockOptions.keepMillis(keep)), client.deployment().settings().commandTimeout());
  }

  private void gone(ReleaseOutcome came) {
    if (came == ReleaseOutcome.LOST) {
      lost("it was gone when it was given back");
    } else {
      client.tally().released(kind, name, client.nanoTime() - sinceNanos, came);
      outcome.complete(came);
    }
  }

  /** Ends it here only, as another handle is to take it over; false if it has ended. */
  boolean beginHandOver() {
    return remainingNanos() > 0 && end(State.GIVEN_BACK);
  }

  /** Takes the outcome of handing the lock over. */
  void handedOver(ReleaseOutcome came) {
    gone(came);
  }

  @Override
  public CompletionStage<ReleaseOutcome> releaseAsync() {
    return giveBack().thenApplyAsync(came -> came, client.executor());
  }

  @Override
  public ReleaseOutcome release() {
    return await(giveBack(), client.deployment().settings().commandTimeout());
  }

  static ReleaseOutcome await(CompletableFuture<ReleaseOutcome> outcome, Duration most) {
    boolean interrupted = false;
    long end = System.nanoTime() + most.toNanos();
    try {
      while (true) {
        try {
          return outcome.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (TimeoutException e) {
          return ReleaseOutcome.UNCONFIRMED;
        } catch (ExecutionException e) {
          throw new IllegalStateException(e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void close() {
    release();
  }

  @Override
  public String toString() {
    return kind + " '" + name + "'" + (isHeld() ? " held" : " not held");
  }
}
