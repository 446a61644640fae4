package io.punctual.lock;

import static java.util.Objects.requireNonNull;

import io.punctual.NotConfirmedException;
import io.punctual.PunctualException;
import io.punctual.redis.client.Answer;
import io.punctual.redis.client.Failures;
import io.punctual.redis.client.RedisCallException;
import io.punctual.timer.Timeout;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock on one server, from the first request to the end.
 *
 * <p>The attempt repeats its request, with the same handle, until the server grants the lock or the
 * attempt ends; the script answers a repetition as it answered before, so a lost reply does no
 * harm. A grant can also arrive on the client's channel, or in the reply to another request of this
 * client; {@link LeaseBound} computes how long such a grant lasts.
 *
 * <p>An attempt in a {@link Cohort} may first wait behind other attempts of this client, and then
 * take a lock over without a request.
 *
 * <p>An attempt that ends without the lock gives its handle up on the server: the handle leaves the
 * line, or gives the lock back. If a request may still arrive, the server refuses the handle for a
 * minute.
 *
 * <p>The monitor of this object is not held while a request is sent, a future is completed or a
 * callback runs. Thread-safe.
 */
final class Acquisition implements Pending {
  static final long FOREVER = Long.MAX_VALUE;

  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);
  private static final long GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long GRANT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final LockClient client;
  private final LockKeys place;
  private final LockOptions terms;
  private final String handle;
  private final long waitNanos;
  private final long startNanos;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();
  private final @Nullable Cohort cohort;
  private final FailureTracker failures;
  private final GrantConfirmation confirmation;
  private final LeaseBound bound;

  private State state;
  private long arrival;

  /** How many requests the server may still carry out. */
  private int open;

  /** Whether the server may know the handle, in the line or as the holder. */
  private boolean isOnServer;

  private @Nullable Timeout next;
  private @Nullable Timeout end;

  private enum State {
    /** Behind other attempts of this client. */
    QUEUED,
    /** No request was answered yet. */
    ASKING,
    /** In the line on the server. */
    WAITING,
    /** Granted, and not confirmed yet. */
    CONFIRMING,
    /** The result is known. */
    OVER
  }

  private Acquisition(
      LockClient client,
      LockKeys place,
      LockOptions terms,
      String mode,
      long waitNanos,
      @Nullable Cohort cohort) {
    this.client = client;
    this.place = place;
    this.terms = terms;
    this.cohort = cohort;
    this.failures = cohort == null ? new FailureTracker() : cohort.failures();
    this.state = cohort == null ? State.ASKING : State.QUEUED;
    this.handle = client.ids().next(mode, terms.leaseMillis());
    this.confirmation = new GrantConfirmation(client, place, terms, handle, failures);
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
    this.bound = new LeaseBound(terms.leaseMillis(), startNanos);
  }

  /** Starts an attempt that waits up to so long; 0 does not wait. */
  static Acquisition start(
      LockClient client, LockKeys place, LockOptions terms, String mode, long waitNanos) {
    if (client.isClosed()) {
      client.tally().asked();
      Acquisition none = new Acquisition(client, place, terms, mode, waitNanos, null);
      none.fail(LockFailures.closed(), false);
      return none;
    }
    boolean isPassedOn = mode.equals(MutexLock.PUSHING) && terms.isPassedOn() && waitNanos > 0;
    Cohort cohort = isPassedOn ? client.cohorts().expect(place.name()) : null;
    Acquisition made = new Acquisition(client, place, terms, mode, waitNanos, cohort);
    client.tally().asked();
    if (waitNanos > 0) {
      client.room().enter(made);
    }
    if (cohort == null) {
      client.room().ask(List.of(made));
    } else {
      made.join(cohort);
    }
    // A short wait must not end before the first request.
    if (waitNanos < FOREVER) {
      made.endIn(waitNanos > 0 ? waitNanos : client.patienceNanos());
    }
    return made;
  }

  private void join(Cohort others) {
    if (others.join(this)) {
      if (!lead(Cohort.END_OF_LINE)) {
        others.advance(Cohort.END_OF_LINE);
      }
    } else if (isOver()) {
      others.leave(this);
    }
  }

  /**
   * Sends requests from now on, as the first attempt of its cohort.
   *
   * @param arrived the place in the server's line to take over, or {@link Cohort#END_OF_LINE}
   * @return false if the attempt is over
   */
  boolean lead(long arrived) {
    Throwable hopeless = null;
    synchronized (this) {
      if (state != State.QUEUED) {
        return false;
      }
      if (client.isClosed()) {
        hopeless = LockFailures.closed();
      } else if (hasLastedTooLong()) {
        hopeless = explained(requireNonNull(failures.failure()));
      } else {
        state = State.ASKING;
        arrival = arrived;
      }
    }
    if (hopeless == null) {
      client.room().ask(List.of(this));
    } else {
      fail(hopeless, true);
    }
    return hopeless == null;
  }

  /** Takes over the lock of a former holder; returns false if the attempt is over. */
  boolean takeOver(ServerHold from) {
    synchronized (this) {
      if (state != State.QUEUED) {
        return false;
      }
      end();
    }
    acquired(from.next());
    return true;
  }

  private synchronized void endIn(long nanos) {
    if (state != State.OVER) {
      end = client.after(nanos, this::timeUp);
    }
  }

  String handle() {
    return handle;
  }

  LockKeys place() {
    return place;
  }

  LockOptions terms() {
    return terms;
  }

  boolean waits() {
    return waitNanos > 0;
  }

  synchronized long arrival() {
    return arrival;
  }

  synchronized boolean isWaiting() {
    return state == State.WAITING;
  }

  private synchronized boolean isOver() {
    return state == State.OVER;
  }

  /** Returns whether a request may still arrive at the server. */
  synchronized boolean isOpen() {
    return open > 0;
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  /** Returns the request to send now, and counts it as sent; null if there is nothing to ask. */
  synchronized LockServer.@Nullable Request request() {
    if (state != State.ASKING && state != State.WAITING) {
      return null;
    }
    open++;
    failures.asked(client.nanoTime());
    return new LockServer.Request(place, terms, handle, waits(), arrival);
  }

  /** Takes the reply to a request that was sent at this time. */
  void answered(LockReply reply, long sentAt, Answer answer) {
    boolean waits = false;
    LockReply.Granted grant = null;
    synchronized (this) {
      open--;
      failures.answered();
      if (isDecided()) {
        return;
      }
      if (reply instanceof LockReply.Granted granted) {
        grant = granted;
        take();
      } else if (reply instanceof LockReply.Waiting waiting) {
        waitOn(waiting, sentAt);
        waits = !isTimeOver();
      }
    }
    if (grant != null) {
      confirm(grant.token(), grant.millis(), Lease.until(sentAt, grant.millis()), answer);
    } else if (waits) {
      client.room().listen(place);
    } else {
      finishEmpty();
    }
  }

  private void waitOn(LockReply.Waiting waiting, long sentAt) {
    long now = client.nanoTime();
    bound.waiting(sentAt, now);
    state = State.WAITING;
    isOnServer = true;
    arrival = waiting.arrival();
    long wait = CHECK_NANOS;
    if (waiting.untilFreeMillis() >= 0) {
      wait = Math.min(wait, TimeUnit.MILLISECONDS.toNanos(waiting.untilFreeMillis() + 1));
    }
    later(wait + GRID_NANOS - Math.floorMod(now + wait, GRID_NANOS));
  }

  private void later(long nanos) {
    if (next != null) {
      next.cancel();
    }
    next = client.after(nanos, () -> client.room().askAgain(this));
  }

  /**
   * Takes a grant that another script made, for so long.
   *
   * @param sentAt when this client sent that script; null if another client did
   */
  void granted(long token, long millis, @Nullable Long sentAt) {
    long until;
    synchronized (this) {
      if (isDecided()) {
        return;
      }
      take();
      until = bound.until(millis, sentAt, client.nanoTime());
    }
    confirm(token, millis, until, null);
  }

  private boolean isDecided() {
    return state == State.OVER || state == State.CONFIRMING;
  }

  private void take() {
    state = State.CONFIRMING;
    isOnServer = true;
  }

  private void confirm(long token, long millis, long until, @Nullable Answer own) {
    confirmation.confirm(token, millis, until, own).whenComplete(this::confirmed);
  }

  private void confirmed(GrantConfirmation.@Nullable Certain grant, @Nullable Throwable failure) {
    if (failure != null) {
      fail(Failures.unwrap(failure), true);
    } else if (grant == null) {
      askAnew();
    } else {
      finish(grant.token(), grant.untilNanos());
    }
  }

  private void askAnew() {
    synchronized (this) {
      if (state != State.CONFIRMING) {
        return;
      }
      state = State.ASKING;
      later(RETRY_NANOS);
    }
  }

  /** The server refused a request for several locks, which is now repeated for each alone. */
  synchronized void refusedWithOthers() {
    open--;
  }

  /** Takes the failure of a request. */
  void failed(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    boolean hopeless = !RedisCallException.isTransient(cause);
    boolean isOver;
    synchronized (this) {
      if (hopeless || cause instanceof RedisCallException.NotSent) {
        open--;
      }
      isOver = state == State.OVER;
      if (!isOver && !hopeless) {
        hopeless = noteFailure(cause);
      }
    }
    if (!isOver && hopeless) {
      fail(explained(cause), true);
    }
  }

  /** Plans a repetition; returns whether the attempt fails instead. */
  private boolean noteFailure(Throwable cause) {
    failures.failed(cause, client.nanoTime());
    if (client.isClosed() || hasLastedTooLong()) {
      return true;
    }
    later(RETRY_NANOS / 2 + client.random().nextLong(RETRY_NANOS));
    return false;
  }

  private boolean hasLastedTooLong() {
    return waitNanos == FOREVER && failures.hasLasted(UNHEARD_NANOS, startNanos, client.nanoTime());
  }

  private PunctualException explained(Throwable cause) {
    return LockFailures.explain(client, "Lock '" + place.name() + "' was not acquired", cause);
  }

  private boolean isTimeOver() {
    return waits() && client.nanoTime() - startNanos >= waitNanos;
  }

  private void timeUp() {
    long more = patienceNanos();
    if (more > 0) {
      endIn(more);
      return;
    }
    NotConfirmedException unconfirmed = confirmation.unconfirmed();
    Throwable silence = failures.failureOrSilence(client.nanoTime());
    if (unconfirmed != null) {
      fail(unconfirmed, true);
    } else if (silence != null) {
      fail(explained(silence), true);
    } else {
      finishEmpty();
    }
  }

  /** Returns how much longer the attempt waits for its first reply, or for its grant. */
  private synchronized long patienceNanos() {
    return switch (state) {
      case ASKING -> failures.firstAnswerIn(client.nanoTime());
      case CONFIRMING -> confirmation.isBusy() ? 0 : GRANT_NANOS;
      default -> 0;
    };
  }

  @Override
  public boolean cancel() {
    return fail(new CancellationException("The attempt was given up"), true);
  }

  /** Ends the attempt because the locks are closed. */
  void close() {
    fail(LockFailures.closed(), true);
  }

  private void finish(long token, long until) {
    synchronized (this) {
      if (state == State.OVER) {
        return;
      }
      end();
    }
    Tenure tenure =
        new Tenure(place, terms, handle, token, client.nanoTime(), cohort, this::isOpen);
    acquired(new ServerHold(client, tenure, new Lease(until)));
  }

  private void acquired(ServerHold hold) {
    failures.answered();
    if (cohort != null) {
      cohort.heldBy(hold);
    }
    client
        .tally()
        .acquired(place.kind(), place.name(), hold.token(), client.nanoTime() - startNanos);
    client.watchdog().watch(hold);
    if (!result.complete(Optional.of(hold))) {
      CompletableFuture<?> unused = hold.giveBack();
    }
  }

  private void finishEmpty() {
    if (endWithout()) {
      result.complete(Optional.empty());
    }
  }

  private boolean fail(Throwable failure, boolean asked) {
    boolean ends = asked ? endWithout() : endUnasked();
    if (ends) {
      result.completeExceptionally(failure);
    }
    return ends;
  }

  private synchronized boolean endUnasked() {
    end();
    client.tally().notAcquired(place.kind(), place.name(), 0);
    return true;
  }

  private boolean endWithout() {
    boolean wasQueued;
    boolean gives;
    boolean refuse;
    synchronized (this) {
      if (state == State.OVER) {
        return false;
      }
      wasQueued = state == State.QUEUED;
      refuse = open > 0;
      gives = isOnServer || refuse;
      end();
    }
    client.tally().notAcquired(place.kind(), place.name(), client.nanoTime() - startNanos);
    if (cohort != null && wasQueued) {
      cohort.leave(this);
    } else if (cohort != null) {
      // The next leader takes the place in the line before this one leaves it.
      cohort.advance(arrival());
    }
    if (gives) {
      ReleaseRequest.say(client, place, terms, handle, 0, refuse);
    }
    return true;
  }

  /** The caller holds the monitor. */
  private void end() {
    state = State.OVER;
    if (waits()) {
      client.room().leave(this);
    }
    cancel(next);
    cancel(end);
  }

  private static void cancel(@Nullable Timeout timeout) {
    if (timeout != null) {
      timeout.cancel();
    }
  }
}
