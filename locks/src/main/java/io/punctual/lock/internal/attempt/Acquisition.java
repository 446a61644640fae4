package io.punctual.lock.internal.attempt;

import io.punctual.PunctualException;
import io.punctual.lock.LockHandle;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.LockRequests;
import io.punctual.lock.internal.hold.LockLease;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReply;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to acquire a lock on one server, from the first request to the end.
 *
 * <p>The attempt repeats its request, with the same handle, until the server grants the lock or the
 * attempt ends. The script gives a repeated request the same result, so a lost reply does no harm.
 * A grant can also arrive on the client's channel, or in the reply to a different request of this
 * client; {@link WaiterState} computes how long its lease lasts. It counts only after the first
 * reply to this attempt: until then, the id may belong to a client that was restored from the same
 * image. The first reply then says so, and the attempt continues with a new id.
 *
 * <p>An attempt in a {@link Cohort} may first wait behind other attempts of this client, and then
 * take over a lock without a request.
 *
 * <p>An attempt that ends without the lock removes its handle from the server: the handle leaves
 * the server's line of waiters, or releases the lock. If a request may still arrive, the server
 * refuses the handle for at least a minute.
 *
 * <p>The monitor of this object is not held while a request is sent, a future is completed or a
 * callback runs. Thread-safe.
 */
final class Acquisition implements ServerAcquisition {
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private volatile Attempt attempt;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();
  private final @Nullable Cohort cohort;
  private final FailureTracker failures;
  private volatile GrantConfirmation confirmation;
  private volatile WaiterState onServer;
  private final AttemptTimers timers;
  private AttemptState state;

  private Acquisition(Attempt attempt, @Nullable Cohort cohort) {
    this.attempt = attempt;
    this.cohort = cohort;
    this.failures = cohort == null ? new FailureTracker() : cohort.failures();
    this.state = cohort == null ? AttemptState.ASKING : AttemptState.QUEUED;
    this.confirmation = new GrantConfirmation(attempt, failures);
    this.onServer = new WaiterState(attempt, Cohort.END_OF_LINE);
    this.timers = new AttemptTimers(this, this::timeUp);
  }

  /** Starts an attempt. It first enters the cohort, if there is one. */
  static Acquisition start(Attempt attempt, @Nullable Cohort cohort) {
    Acquisition acquisition = new Acquisition(attempt, cohort);
    Attempts.step(acquisition, acquisition::start);
    return acquisition;
  }

  /** Returns an attempt that has ended, because the locks are closed. */
  static Acquisition closed(Attempt attempt) {
    Acquisition none = new Acquisition(attempt, null);
    none.close();
    return none;
  }

  private void start() {
    attempt.attempts().enter(this);
    if (cohort == null) {
      attempt.attempts().ask(List.of(this));
    } else {
      cohort.enter(this);
    }
    // The end is planned after the first request, so that a short wait does not end before this
    // request.
    if (attempt.waitNanos() < LockOptions.FOREVER) {
      endIn(attempt.waits() ? attempt.waitNanos() : attempt.client().answerTimeoutNanos());
    }
  }

  /**
   * Makes this attempt the leader of its cohort, so that it sends requests from now on.
   *
   * @param arrived the place in the server's line of waiters that this attempt takes over from the
   *     last leader; {@link Cohort#END_OF_LINE} if there is no such place
   * @return false if the attempt has ended
   */
  boolean lead(long arrived) {
    Throwable hopeless;
    synchronized (this) {
      if (state != AttemptState.QUEUED) {
        return false;
      }
      hopeless = attempt.whyHopeless(failures);
      if (hopeless == null) {
        state = AttemptState.ASKING;
        onServer.claimArrival(arrived);
      }
    }
    if (hopeless == null) {
      Attempts.step(this, () -> attempt.attempts().ask(List.of(this)));
    } else {
      fail(hopeless);
    }
    return hopeless == null;
  }

  /** Takes over the lock with this hold; returns false if the attempt has ended. */
  boolean takeOver(ServerHold next) {
    synchronized (this) {
      if (state != AttemptState.QUEUED) {
        return false;
      }
      end();
    }
    acquired(next);
    return true;
  }

  private synchronized void endIn(long nanos) {
    if (state != AttemptState.OVER) {
      timers.endIn(nanos);
    }
  }

  Attempt attempt() {
    return attempt;
  }

  synchronized boolean isWaiting() {
    return state == AttemptState.WAITING;
  }

  synchronized boolean isOver() {
    return state == AttemptState.OVER;
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  @Override
  public FailureTracker failures() {
    return failures;
  }

  /**
   * Returns the request to send now, and counts this request as sent; null if the attempt needs no
   * request.
   */
  synchronized LockRequests.@Nullable Request request() {
    if (!state.sendsRequests()) {
      return null;
    }
    boolean repeated = onServer.isRepeated();
    onServer.requested();
    failures.asked(attempt.nanoTime());
    return new LockRequests.Request(
        attempt.handle(), attempt.waits(), onServer.arrival(), repeated);
  }

  /**
   * Processes the reply to a request.
   *
   * @param sentAt when the request was sent
   */
  void answered(LockReply reply, long sentAt) {
    Optional<WaiterState.EarlyGrant> early;
    synchronized (this) {
      onServer.requestEnded();
      failures.answered();
      if (state.isDecided()) {
        return;
      }
      early = onServer.takeEarly();
      if (reply instanceof LockReply.Granted) {
        state = AttemptState.CONFIRMING;
        onServer.granted();
      } else if (reply instanceof LockReply.Waiting waiting) {
        state = AttemptState.WAITING;
        timers.requestIn(onServer.waiting(waiting, sentAt, attempt.nanoTime()));
      }
    }
    if (reply instanceof LockReply.Granted now) {
      confirm(now.token(), now.millis(), LockLease.until(sentAt, now.millis()));
    } else if (reply instanceof LockReply.IdTaken) {
      useNewId();
    } else if (reply instanceof LockReply.Waiting && !attempt.isTimeOver()) {
      attempt.attempts().listen(attempt.keys());
      early.ifPresent(grant -> granted(grant.token(), grant.millis(), grant.sentAt()));
    } else {
      finishEmpty();
    }
  }

  /** Continues with a new handle. The former handle belongs to a different client. */
  private void useNewId() {
    Attempts attempts = attempt.attempts();
    attempts.leave(this);
    synchronized (this) {
      attempt = attempt.withNewId();
      confirmation = new GrantConfirmation(attempt, failures);
      onServer = new WaiterState(attempt, onServer.arrival());
    }
    attempts.enter(this);
    attempts.ask(List.of(this));
  }

  /**
   * Processes a grant that the script of a different request made.
   *
   * @param millis the length of the granted lease
   * @param sentAt when this client sent that script; null if the grant arrived on the channel
   */
  void granted(long token, long millis, @Nullable Long sentAt) {
    long until;
    synchronized (this) {
      if (state.isDecided()) {
        return;
      }
      if (onServer.keepEarly(new WaiterState.EarlyGrant(token, millis, sentAt))) {
        return;
      }
      state = AttemptState.CONFIRMING;
      until = onServer.leaseEnd(millis, sentAt, attempt.nanoTime());
    }
    confirm(token, millis, until);
  }

  private void confirm(long token, long millis, long until) {
    confirmation
        .confirm(token, millis, until)
        .whenComplete((grant, failure) -> Attempts.step(this, () -> confirmed(grant, failure)));
  }

  private void confirmed(GrantConfirmation.@Nullable Certain grant, @Nullable Throwable failure) {
    if (failure != null) {
      fail(Failures.unwrap(failure));
    } else if (grant == null) {
      askAnew();
    } else {
      finish(grant);
    }
  }

  private synchronized void askAnew() {
    if (state == AttemptState.CONFIRMING) {
      state = AttemptState.ASKING;
      timers.requestIn(RETRY_NANOS);
    }
  }

  /**
   * Counts the end of a request for several locks, which the server refused. The client then
   * requests each of these locks alone.
   */
  synchronized void refusedWithOthers() {
    onServer.requestNotRun();
  }

  void failed(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    boolean hopeless = !RedisCallException.isTransient(cause);
    synchronized (this) {
      if (hopeless || cause instanceof RedisCallException.NotSent) {
        onServer.requestNotRun();
      }
      if (state != AttemptState.OVER && !hopeless) {
        failures.failed(cause, attempt.nanoTime());
        hopeless = attempt.whyHopeless(failures) != null;
        if (!hopeless) {
          timers.requestIn(RETRY_NANOS / 2 + attempt.client().random().nextLong(RETRY_NANOS));
        }
      }
    }
    if (hopeless) {
      fail(attempt.explain(cause));
    }
  }

  private void timeUp() {
    long more = graceNanos();
    if (more > 0) {
      endIn(more);
      return;
    }
    PunctualException failure = confirmation.failureAtTheEnd();
    if (failure == null) {
      finishEmpty();
    } else {
      fail(failure);
    }
  }

  /**
   * Returns how long the attempt still waits after its time limit: for its first reply, or for a
   * grant whose confirmation needs no reply of the server; 0 or negative if it ends now.
   */
  private synchronized long graceNanos() {
    return switch (state) {
      case ASKING -> failures.firstAnswerIn(attempt.nanoTime());
      case CONFIRMING -> confirmation.graceNanos();
      default -> 0;
    };
  }

  @Override
  public boolean cancel() {
    return fail(new CancellationException("The attempt was given up"));
  }

  void close() {
    fail(LockFailures.closed());
  }

  private void finish(GrantConfirmation.Certain grant) {
    ServerHold hold = attempt.hold(grant, cohort, onServer::hasOpenRequests);
    synchronized (this) {
      if (state == AttemptState.OVER) {
        return;
      }
      end();
    }
    acquired(hold);
  }

  private void acquired(ServerHold hold) {
    try {
      failures.answered();
      if (cohort != null) {
        cohort.heldBy(hold);
      }
      attempt.countAcquired(hold);
      attempt.attempts().watchdog().watch(hold);
      result.complete(Optional.of(hold));
    } catch (Throwable e) { // for example because memory is short
      result.completeExceptionally(e);
    }
    if (result.isCompletedExceptionally()) {
      CompletableFuture<?> unused = hold.giveBack();
    }
  }

  private void finishEmpty() {
    if (endWithout()) {
      result.complete(Optional.empty());
    }
  }

  /** Ends the attempt with a failure; returns false if it has ended before. */
  boolean fail(Throwable failure) {
    return endWithout() && result.completeExceptionally(failure);
  }

  private boolean endWithout() {
    boolean wasQueued;
    boolean mayBeOnServer;
    boolean refuse;
    synchronized (this) {
      if (state == AttemptState.OVER) {
        return false;
      }
      wasQueued = state == AttemptState.QUEUED;
      mayBeOnServer = onServer.mayBeOnServer();
      refuse = onServer.hasOpenRequests();
      end();
    }
    try {
      attempt.countNotAcquired();
      if (cohort != null) {
        cohort.ended(this, wasQueued, onServer.arrival());
      }
      if (mayBeOnServer) {
        attempt.giveUp(refuse);
      }
    } catch (Throwable e) { // nobody else would end the wait of the caller
      result.completeExceptionally(e);
      throw e;
    }
    return true;
  }

  /** Ends the attempt. The caller holds the monitor. */
  private void end() {
    state = AttemptState.OVER;
    attempt.attempts().leave(this);
    timers.cancel();
  }
}
