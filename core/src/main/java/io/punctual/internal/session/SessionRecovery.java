package io.punctual.internal.session;

import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import io.punctual.timer.Timeout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Replaces the state of a session after an error, such as a lack of memory, which may have left the
 * state half changed. The new state opens a new session, and receives the requests of the old
 * state. The session's lock guards all methods except {@link #failed}, {@link #isNeeded} and {@link
 * #goOnLater}.
 */
final class SessionRecovery {
  private static final Logger log = Logs.of(SessionRecovery.class);

  /** The pause after an error, so that a lasting error causes no busy loop. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final String queue;
  private final Environment env;
  private final Notices notices;
  private final Runnable goOn;
  private final Runnable goOnNow = this::goOnNow;

  /** Whether the session continues after the present pause. */
  private final AtomicBoolean isPlanned = new AtomicBoolean();

  /** The error that the session has not recovered from; null if there is none. */
  private volatile @Nullable Throwable failure;

  /** The old state whose requests are being moved; null if there is none. */
  private @Nullable SessionState old;

  /** The number of operations of its first call that were moved. */
  private int salvaged;

  /**
   * Creates the recovery of a session.
   *
   * @param goOn continues the session
   */
  SessionRecovery(String queue, Environment env, Notices notices, Runnable goOn) {
    this.queue = queue;
    this.env = env;
    this.notices = notices;
    this.goOn = goOn;
  }

  private void goOnNow() {
    isPlanned.set(false);
    goOn.run();
  }

  /** Notes that an error has struck during a change of the state, or in a callback. */
  void failed(Throwable error) {
    failure = error;
  }

  boolean isNeeded() {
    return failure != null;
  }

  /** Returns the state that the session uses from now on. */
  SessionState successor(SessionState current) {
    if (failure == null || old != null) {
      return current;
    }
    SessionState next = new SessionState(current);
    old = current;
    return next;
  }

  /**
   * Moves the requests of the old state to this state, one by one. If a further error strikes here,
   * the next call goes on. Operations that the store may have executed end with an unknown outcome,
   * except settlements; claims in flight end.
   */
  void salvage(SessionState into) {
    SessionState from = old;
    Throwable why = failure;
    if (from == null || why == null) {
      return;
    }
    CallLog calls = from.calls();
    for (InFlightCall call = calls.first(); call != null; call = calls.first()) {
      salvage(call, into, EndReason.outcomeUnknown(why));
      calls.forgotten(call);
      salvaged = 0;
    }
    from.window().moveTo(into.window());
    notices.add(
        () ->
            log.error(
                "An error in the client's conversation about queue '{}'; it starts again",
                queue,
                why));
    old = null;
    failure = null;
  }

  private void salvage(InFlightCall call, SessionState into, EndReason unknown) {
    boolean mayHaveRun = !call.isCertainlyNotRun();
    for (; salvaged < call.operations().size(); salvaged++) {
      Pending.OfOperation each = call.operations().get(salvaged);
      if (mayHaveRun && !each.isSettlement()) {
        notices.fail(each, unknown);
      } else {
        into.window().operations().add(each);
      }
    }
    Pending.OfClaim claim = call.claim();
    if (claim != null) {
      notices.fail(claim, unknown);
    }
  }

  /** After an error, continues soon, when there may be memory again. */
  void goOnLater() {
    if (!isNeeded() || !isPlanned.compareAndSet(false, true)) {
      return;
    }
    try {
      Timeout unused = env.ifOpen(PAUSE_NANOS, goOnNow);
    } catch (Throwable noMemory) {
      isPlanned.set(false);
      log.debug("The next call of the session of queue '{}' goes on", queue);
    }
  }
}
