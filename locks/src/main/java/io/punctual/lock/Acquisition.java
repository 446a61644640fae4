package io.punctual.lock;

import static java.nio.charset.StandardCharsets.US_ASCII;
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
 * One attempt to acquire a lock on one server, from its first question to its end.
 *
 * <p>The same question, with the same handle, is asked until the lock is granted or the attempt is
 * over; asked twice it is answered the same, so that a lost answer costs nothing. The grant may
 * also come by the client's channel, or in the answer to another question of this client. Until
 * when the lock is held is counted from a moment before the grant: the sending of the question that
 * was answered with it, or, if somebody else's script granted it, of the last one that was answered
 * "not yet". Unless word of a grant may be about an earlier one, which has run out since: then the
 * server is asked.
 *
 * <p>An attempt that is in a {@link Cohort} may stand behind others at first, and then take over a
 * lock without having asked for it.
 *
 * <p>However an attempt ends without the lock, its handle is then given up on the server: out of
 * the line, or back if it was granted meanwhile; and refused for a minute when a question may still
 * be on its way.
 *
 * <p>Its lock, {@code this}, is not held while something is sent, completed or told. Thread-safe.
 */
final class Acquisition implements Pending {
  static final long FOREVER = Long.MAX_VALUE;

  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(950);
  private static final long GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long GRANT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** For how long a lock is granted by another's script, as line.lua says. */
  private static final long GRANT_MILLIS = 1_500;

  private final LockClient client;
  private final LockKeys place;
  private final LockOptions terms;
  private final String handle;
  private final long waitNanos;
  private final long startNanos;
  private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();
  private final @Nullable Cohort cohort;
  private final FailureTracker failures;
  private final GrantCheck check;

  private State state;
  private long arrival;

  /** Whoever grants the lock by another's script does so after this. */
  private long notBefore;

  /** Whether a grant may have run out without being noticed, and word of it be on its way. */
  private boolean doubtful;

  /** Questions that may still be carried out. */
  private int open;

  /** Whether the server may have the handle, in the line or as the holder. */
  private boolean isOnServer;

  private @Nullable Timeout next;
  private @Nullable Timeout end;

  private enum State {
    /** Behind others of this client. */
    QUEUED,
    /** No question was answered yet. */
    ASKING,
    /** In the line. */
    WAITING,
    /** Granted, and being confirmed. */
    CONFIRMING,
    /** The result is there, or about to be. */
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
    this.check = new GrantCheck(client, place, terms, handle);
    this.waitNanos = waitNanos;
    this.startNanos = client.nanoTime();
    this.notBefore = startNanos;
  }

  /** Starts an attempt that waits for so long; 0 does not wait. */
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
    // The end of a short wait must not come before the first question.
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
   * Asks the server from now on.
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

  /** Takes over a lock that the one before gives back; false if this is over. */
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

  /** Whether a question may still be on its way. */
  synchronized boolean isOpen() {
    return open > 0;
  }

  @Override
  public CompletableFuture<Optional<LockHandle>> result() {
    return result;
  }

  /** Returns whether there is still something to ask; it is then taken as asked. */
  synchronized boolean asks() {
    if (state != State.ASKING && state != State.WAITING) {
      return false;
    }
    open++;
    failures.asked(client.nanoTime());
    return true;
  }

  /** Takes the answer to a question that was sent at this time. */
  void answered(String code, long first, long second, long sentAt, Answer answer) {
    boolean refused = false;
    boolean granted = false;
    synchronized (this) {
      open--;
      failures.answered();
      if (state == State.OVER || state == State.CONFIRMING) {
        return;
      }
      switch (code) {
        case "G" -> granted = take();
        case "W" -> {
          waitOn(first, second, sentAt);
          refused = isTimeOver();
        }
        default -> refused = true;
      }
    }
    if (granted) {
      certify(first, second, Lease.until(sentAt, second), answer);
    } else if (refused) {
      finishEmpty();
    } else {
      client.room().listen(place);
    }
  }

  private void waitOn(long arrived, long untilFreeMillis, long sentAt) {
    long grantMillis = Math.min(GRANT_MILLIS, terms.leaseMillis());
    doubtful |= client.nanoTime() - notBefore > TimeUnit.MILLISECONDS.toNanos(grantMillis);
    state = State.WAITING;
    isOnServer = true;
    arrival = arrived;
    notBefore = Math.max(notBefore, sentAt);
    long wait = CHECK_NANOS;
    if (untilFreeMillis >= 0) {
      wait = Math.min(wait, TimeUnit.MILLISECONDS.toNanos(untilFreeMillis + 1));
    }
    long due = client.nanoTime() + wait;
    later(wait + GRID_NANOS - Math.floorMod(due, GRID_NANOS));
  }

  private void later(long nanos) {
    if (next != null) {
      next.cancel();
    }
    next = client.after(nanos, () -> client.room().askAgain(this));
  }

  /**
   * Takes a grant that another's script made, for so long.
   *
   * @param sentAt when that script was sent, if it was this client's
   */
  void granted(long token, long millis, @Nullable Long sentAt) {
    long from;
    boolean unsure;
    synchronized (this) {
      if (!take()) {
        return;
      }
      from = sentAt == null ? notBefore : sentAt;
      unsure = sentAt == null && doubtful;
    }
    certify(token, millis, unsure ? client.nanoTime() : Lease.until(from, millis), null);
  }

  /** Takes a grant, with the lock held; false if the attempt is over, or has a grant already. */
  private boolean take() {
    if (state == State.OVER || state == State.CONFIRMING) {
      return false;
    }
    state = State.CONFIRMING;
    isOnServer = true;
    return true;
  }

  /** Makes sure of a grant, and hands the lock over. */
  private void certify(long token, long millis, long until, @Nullable Answer own) {
    boolean isShort = millis < terms.leaseMillis() && !terms.renewed();
    boolean isLate = until - client.nanoTime() < TimeUnit.MILLISECONDS.toNanos(millis) / 3;
    boolean unproven = terms.isDurable() && own == null;
    if (isShort || isLate || unproven) {
      failures.asked(client.nanoTime());
      check.renew().whenComplete(this::checked);
    } else if (own != null) {
      check.confirm(new GrantCheck.Certain(token, until), own).whenComplete(this::checked);
    } else {
      finish(token, until);
    }
  }

  private void checked(GrantCheck.@Nullable Certain grant, @Nullable Throwable failure) {
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

  /** A question was refused that was about others as well: it is asked again without them. */
  synchronized void refusedWithOthers() {
    open--;
  }

  /** Takes a failure of a question. */
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

  /** Returns whether it has lasted for too long. */
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
    NotConfirmedException unconfirmed = check.unconfirmed();
    Throwable silence = failures.failureOrSilence(client.nanoTime());
    if (unconfirmed != null) {
      fail(unconfirmed, true);
    } else if (silence != null) {
      fail(explained(silence), true);
    } else {
      finishEmpty();
    }
  }

  /**
   * For how long the attempt goes on at the end of its wait: for its first answer, or its grant.
   */
  private synchronized long patienceNanos() {
    return switch (state) {
      case ASKING -> failures.firstAnswerIn(client.nanoTime());
      case CONFIRMING -> check.isBusy() ? 0 : GRANT_NANOS;
      default -> 0;
    };
  }

  @Override
  public boolean cancel() {
    return fail(new CancellationException("The attempt was given up"), true);
  }

  /** The locks are closed. */
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

  /** Called with the lock. */
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

  /** The handle as scripts take it. */
  static byte[] bytes(String handle) {
    return handle.getBytes(US_ASCII);
  }
}
