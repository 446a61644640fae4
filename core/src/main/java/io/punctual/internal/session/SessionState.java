package io.punctual.internal.session;

import io.punctual.PunctualException;
import io.punctual.internal.runtime.Backoff;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The state of a session. It chooses the session's next step, and processes replies and failures.
 * Does no I/O. Guarded by its session's lock.
 *
 * <p><b>Repair.</b> {@link CallLog} numbers the calls and holds them until their reply. When a call
 * fails or meets a {@link Reply.Gap}, the session sends nothing new. Once no sending is in
 * progress, it sends all calls of the log again, in order and with the same numbers. If the
 * partition has executed a call before, the partition repeats the reply.
 *
 * <p><b>A lost session</b> ({@link Reply.NoSession}, or a gap that shows that the partition was
 * rolled back) is replaced by a new session. {@link CallLog#startNewSession} decides which calls
 * move to the new session.
 *
 * <p><b>A stale number of partitions.</b> A queue refuses every call of a client whose number of
 * partitions is stale. The session then sends nothing, and {@link PartitionMove} hands its
 * operations to the sessions of the current partitions.
 */
final class SessionState {
  private enum Phase {
    /** The partition has no session for this client; the next request opens one. */
    ABSENT,
    /** A session is being opened. */
    OPENING,
    /** The session is open and sends calls. */
    OPEN,
    /** A call failed or had no effect; the session waits until no sending is in progress. */
    REPAIRING,
    /** The session waits before it tries again. */
    PAUSING,
    /** The client's number of partitions is stale; all operations wait for {@link #moveTo}. */
    STALE_PARTITION_COUNT
  }

  private final Environment env;
  private final SessionIo io;
  private final PartitionHealth health;
  private final CallLog calls;
  private final SendWindow window;
  private final UnconfirmedCalls unconfirmed;
  private final Notices notices;
  private final PartitionMove move;
  private final Backoff backoff = Backoff.ofCalls();
  private Phase phase = Phase.ABSENT;
  private Phase afterPause = Phase.ABSENT;
  private @Nullable CompletableFuture<@Nullable Void> closing;

  SessionState(
      Partition partition,
      Environment env,
      String client,
      Notices notices,
      PartitionHealth health,
      SessionIo io) {
    this.env = env;
    this.io = io;
    this.calls = new CallLog(client, env.randomGenerator());
    this.window = new SendWindow(partition, env.operationLimit(), env.backlog());
    this.unconfirmed = new UnconfirmedCalls(partition.queue());
    this.notices = notices;
    this.health = health;
    this.move = new PartitionMove();
  }

  /** Creates an empty successor of a state that an error has left half changed. */
  SessionState(SessionState before) {
    this.env = before.env;
    this.io = before.io;
    this.health = before.health;
    this.notices = before.notices;
    this.unconfirmed = before.unconfirmed;
    this.move = before.move;
    this.closing = before.closing;
    this.calls = new CallLog(before.calls);
    this.window = new SendWindow(before.window);
  }

  CallLog calls() {
    return calls;
  }

  UnconfirmedCalls unconfirmed() {
    return unconfirmed;
  }

  SendWindow window() {
    return window;
  }

  /** Returns the exception if the operations are refused, or null if they are accepted. */
  @Nullable RuntimeException refusal(List<? extends Operation> operations) {
    return closing == null ? window.refusal(operations) : EndReason.clientClosed();
  }

  /** Adds an operation, which may linger for this time; returns whether a linger begins. */
  boolean add(Pending.OfOperation operation, long lingerNanos) {
    if (operation.isWithdrawn()) {
      notices.fail(operation, notSent());
      return false;
    }
    if (lingerNanos > 0) {
      return window.addDeferrable(operation, env.nanoTime() + lingerNanos);
    }
    window.operations().add(operation);
    return false;
  }

  void add(Pending.OfClaim claim) {
    Partition.PartitionCountException stale = move.stalePartitionCount();
    if (stale != null) {
      notices.fail(claim, EndReason.refused(stale));
    } else if (closing != null) {
      notices.fail(claim, EndReason.CLIENT_CLOSED);
    } else {
      window.add(claim);
    }
  }

  /** Returns the next step, or null if there is nothing to do now. */
  @Nullable SessionStep next() {
    if (move.hasBegun() && (phase == Phase.STALE_PARTITION_COUNT || calls.isEmpty())) {
      SessionStep next = move.next(calls, window, notices);
      return next == null ? finishClosing() : next;
    }
    return switch (phase) {
      case ABSENT -> hasWork() ? open() : finishClosing();
      case OPEN -> nextSending();
      case OPENING, REPAIRING, PAUSING -> null;
      case STALE_PARTITION_COUNT -> finishClosing();
    };
  }

  private boolean hasWork() {
    return !calls.isEmpty() || !window.isEmpty() || move.hasOperations();
  }

  private SessionStep open() {
    phase = Phase.OPENING;
    return new SessionStep.Open(this, calls.sessionToOpen(), calls.sessionToReplace());
  }

  private @Nullable SessionStep nextSending() {
    InFlightCall again = calls.nextToSend();
    if (again != null) {
      return send(again);
    }
    InFlightCall next = move.hasBegun() ? null : window.next(calls, unconfirmed.operations());
    if (next == null) {
      return hasWork() ? null : finishClosing();
    }
    return send(next);
  }

  private SessionStep send(InFlightCall call) {
    return new SessionStep.Send(this, call, calls.send(call, env.nanoTime()));
  }

  void opened(String session) {
    calls.opened(session);
    phase = Phase.OPEN;
    health.markHealthy(notices);
  }

  void openFailed(Throwable failure) {
    if (failure instanceof Partition.PartitionCountException stale) {
      stopAsStale(stale);
      return;
    }
    phase = Phase.ABSENT;
    calls.openFailed();
    if (failure instanceof Partition.PartitionException refused) {
      calls.removeAll(call -> refuse(call, refused));
      endWaiting(EndReason.refused(refused));
    }
    markFailing(failure);
    pause();
  }

  /** Processes the end of a sending. */
  void ended(InFlightCall call, @Nullable Reply reply, @Nullable Throwable error) {
    call.sendingEnded();
    if (reply != null) {
      answered(call, reply);
    } else {
      failed(
          call,
          error == null
              ? new PunctualException("The store returned neither a reply nor a failure")
              : StoreFailures.unwrap(error));
    }
    if (phase == Phase.REPAIRING && !calls.isSending()) {
      repair();
    }
  }

  private void answered(InFlightCall call, Reply reply) {
    if (reply instanceof Reply.Applied applied) {
      applied(call, applied);
      succeeded(call);
    } else if (reply instanceof Reply.Claimed claimed) {
      notices.claimed(call, claimed);
      succeeded(call);
    } else if (reply instanceof Reply.Gap gap) {
      calls.gap(call, gap.expected());
      phase = Phase.REPAIRING;
    } else if (reply instanceof Reply.NoSession) {
      calls.noSession();
      phase = Phase.REPAIRING;
    } else {
      calls.forgotten(call);
      notices.fail(call, EndReason.outcomeUnknown(call.failure()));
    }
  }

  private void succeeded(InFlightCall call) {
    calls.answered(call);
    backoff.reset();
    health.answered(call, notices);
  }

  private void applied(InFlightCall call, Reply.Applied applied) {
    UnconfirmedCalls.Unconfirmed waiting = unconfirmed.applied(call, applied, notices);
    CompletionStage<@Nullable String> confirmation = applied.confirmation();
    if (waiting != null && confirmation != null) {
      notices.add(() -> io.awaitConfirmation(waiting, confirmation));
    }
  }

  void confirmed(UnconfirmedCalls.Unconfirmed call, @Nullable String why) {
    unconfirmed.end(call, why, notices);
  }

  private void failed(InFlightCall call, Throwable failure) {
    phase = Phase.REPAIRING;
    if (failure instanceof Partition.PartitionCountException stale) {
      move.stalePartitionCount(stale);
      return;
    }
    if (failure instanceof Partition.PartitionException refused) {
      refuse(call, refused);
    } else if (failure instanceof Partition.NotSentException) {
      call.notSent();
    } else {
      call.unanswered(failure);
    }
    markFailing(failure);
  }

  /**
   * Ends the operations or the claim of a refused call. The emptied call remains, because the
   * session must still use its number. If it is refused, too, all requests end that wait for it.
   */
  private void refuse(InFlightCall call, Partition.PartitionException refused) {
    if (call.isEmpty()) {
      calls.certainlyNotRunAfter(call).forEach(later -> end(later, EndReason.refused(refused)));
      endWaiting(EndReason.refused(refused));
      return;
    }
    // A refusal of the last sending says nothing about an earlier sending without an answer.
    end(call, EndReason.refused(refused));
  }

  private void endWaiting(EndReason reason) {
    window.operations().removeAll(operation -> notices.fail(operation, reason));
    endClaims(reason);
  }

  private void endClaims(EndReason reason) {
    window.removeClaims(claim -> notices.fail(claim, reason));
  }

  private void repair() {
    calls.removeWithdrawn(operation -> notices.fail(operation, notSent()));
    Partition.PartitionCountException stale = move.stalePartitionCount();
    if (stale != null) {
      stopAsStale(stale);
      return;
    }
    phase = Phase.OPEN;
    if (calls.isSessionLost()) {
      phase = Phase.ABSENT;
      calls.startNewSession((pending, why) -> notices.fail(pending, EndReason.outcomeUnknown(why)));
    }
    pause();
  }

  private void stopAsStale(Partition.PartitionCountException why) {
    phase = Phase.STALE_PARTITION_COUNT;
    move.stalePartitionCount(why);
    health.markHealthy(notices);
    endClaims(EndReason.refused(why));
    if (!move.hasBegun()) {
      notices.add(io::stalePartitionCount);
    }
  }

  /** Begins the move to other sessions; see {@link PartitionSession#moveTo}. */
  CompletableFuture<@Nullable Void> moveTo(
      Function<String, PartitionSession> there, Partition.PartitionCountException why) {
    move.begin(there, why);
    endClaims(EndReason.refused(why));
    return move.end();
  }

  void handedOver() {
    move.handedOver();
  }

  /** Pauses the session after repeated failures, for a growing time, but not after the first. */
  private void pause() {
    long nanos = backoff.failed(env.randomGenerator());
    if (nanos > 0) {
      afterPause = phase;
      phase = Phase.PAUSING;
      notices.add(() -> io.pause(nanos));
    }
  }

  void pauseEnded() {
    if (phase == Phase.PAUSING) {
      phase = afterPause;
    }
  }

  private void markFailing(Throwable failure) {
    if (closing == null || !(failure instanceof Partition.NotSentException)) {
      notices.add(() -> health.markFailing(failure));
    }
  }

  /** Ends withdrawn operations, if they were certainly not sent. */
  void endWithdrawn() {
    window.operations().removeWithdrawn(operation -> notices.fail(operation, notSent()));
    calls.removeWithdrawn(operation -> notices.fail(operation, notSent()));
  }

  /** Ends overdue operations. */
  void endOverdue(long nowNanos) {
    window.operations().removeOverdue(nowNanos, operation -> notices.fail(operation, notSent()));
    unconfirmed.endOverdue(nowNanos, notices);
    calls.overdue(nowNanos).forEach(call -> end(call, notSent()));
  }

  private void end(InFlightCall call, EndReason ifNotRun) {
    EndReason unknown = EndReason.outcomeUnknown(call.failureOr(env.lastFailure().get()));
    notices.fail(call, call.isCertainlyNotRun() ? ifNotRun : unknown);
    call.empty();
  }

  private EndReason notSent() {
    return closing == null ? EndReason.notSent(env.lastFailure().get()) : EndReason.CLIENT_CLOSED;
  }

  /** Begins the close, unless it has begun; completes when all operations and claims have ended. */
  CompletableFuture<@Nullable Void> close(Runnable giveUpInTime) {
    CompletableFuture<@Nullable Void> closed = closing;
    if (closed != null) {
      return closed;
    }
    closed = new CompletableFuture<>();
    notices.add(giveUpInTime); // first, because an error must not lose it
    closing = closed;
    endClaims(EndReason.CLIENT_CLOSED);
    window.flush();
    return closed;
  }

  /** Ends all operations and claims without an answer; returns the next step, or null. */
  @Nullable SessionStep giveUpAll() {
    endWaiting(notSent());
    calls.removeAll(call -> end(call, notSent()));
    unconfirmed.close(notices);
    return finishClosing();
  }

  private @Nullable SessionStep finishClosing() {
    CompletableFuture<@Nullable Void> closed = closing;
    if (closed == null || closed.isDone() || hasWork() || !unconfirmed.isEmpty()) {
      return null;
    }
    notices.add(() -> closed.complete(null));
    closing = CompletableFuture.completedFuture(null);
    return phase == Phase.OPEN ? new SessionStep.Forget(calls.session()) : null;
  }
}
