package io.punctual.internal.session;

import io.punctual.spi.Call;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A session's calls that have no answer yet, in the order of their numbers. The log also records
 * two facts from the replies: whether the partition still knows the session, and which numbers the
 * partition never executed. Does no I/O. Guarded by its session's lock.
 */
final class CallLog {
  /** The largest number of calls without an answer. */
  static final int LIMIT = 64;

  /** Receives operations and claims with an unknown outcome. */
  interface Unanswered {
    /**
     * Notes that an operation or a claim ends with an unknown outcome.
     *
     * @param why the reason why its last sending got no answer, or null if none is known
     */
    void outcomeUnknown(Pending pending, @Nullable Throwable why);
  }

  private final String client;
  private final RandomGenerator random;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<InFlightCall> calls = new LinkedList<>();

  private String nextSession;
  private String session = "";
  private @Nullable String forgotten;
  private long nextNumber = 1;
  private long highestAnswered;
  private boolean sessionLost;

  /**
   * If a fail-over has set the partition back to an earlier state: the lowest number whose call the
   * partition has certainly not executed in that state. {@link Long#MAX_VALUE} otherwise.
   */
  private long neverRunFrom = Long.MAX_VALUE;

  /** Creates a log; its sessions' ids begin with {@code client}. */
  CallLog(String client, RandomGenerator random) {
    this.client = client;
    this.random = random;
    this.nextSession = client + '0';
  }

  /**
   * Returns the id of a later session. It is random, because two processes that were restored from
   * one image would count alike.
   */
  private static String newSession(String client, RandomGenerator random) {
    return client + Integer.toString(random.nextInt(Integer.MAX_VALUE), Character.MAX_RADIX);
  }

  /** Creates an empty log, whose next session replaces the session of an earlier log. */
  CallLog(CallLog before) {
    client = before.client;
    random = before.random;
    nextSession = newSession(client, random);
    forgotten = before.session.isEmpty() ? before.forgotten : before.session;
  }

  /** Returns the first call; null if there is none. */
  @Nullable InFlightCall first() {
    return calls.peek();
  }

  /** Returns the id of the session to open. */
  String sessionToOpen() {
    return nextSession;
  }

  /**
   * Returns the earlier session that the partition should end, because its calls may still arrive;
   * null if there is none.
   */
  @Nullable String sessionToReplace() {
    return forgotten;
  }

  /** Notes that the partition has opened a session. */
  void opened(String id) {
    session = id;
    forgotten = null;
  }

  /**
   * Notes that a request to open a session failed. The next request uses a different id, because
   * the failed request may arrive late: it could open a session again that the partition has lost,
   * and the calls of that session would run twice.
   */
  void openFailed() {
    nextSession = newSession(client, random);
  }

  /** Returns the id of the session that is or was open; empty before the first. */
  String session() {
    return session;
  }

  boolean isEmpty() {
    return calls.isEmpty();
  }

  boolean isFull() {
    return calls.size() >= LIMIT;
  }

  Iterable<InFlightCall> calls() {
    return calls;
  }

  /** Adds a new call, which gets the next number. */
  void add(InFlightCall call) {
    call.number(nextNumber++);
    calls.add(call);
  }

  /** Returns the first call that is not being sent; null if there is none. */
  @Nullable InFlightCall nextToSend() {
    for (InFlightCall call : calls) {
      if (!call.isSending()) {
        return call;
      }
    }
    return null;
  }

  /** Records the start of a sending; returns the call to send to the partition. */
  Call send(InFlightCall call, long nowNanos) {
    call.send(nowNanos, highestAnswered);
    return new Call(
        session, call.number(), calls.element().number(), call.body(), call.mayHaveRun());
  }

  boolean isSending() {
    return calls.stream().anyMatch(InFlightCall::isSending);
  }

  /** Removes a call that the partition has executed and answered. */
  void answered(InFlightCall call) {
    calls.remove(call);
    highestAnswered = Math.max(highestAnswered, call.number());
  }

  /** Removes a call whose answer the partition has forgotten. */
  void forgotten(InFlightCall call) {
    calls.remove(call);
  }

  /**
   * Records that the partition expects a lower number than the number of the call. If the call with
   * the expected number was answered before this call was sent, the partition was rolled back to an
   * earlier state, and the session is lost.
   */
  void gap(InFlightCall call, long expected) {
    if (expected <= call.answeredWhenSent()) {
      sessionLost = true;
      neverRunFrom = Math.min(neverRunFrom, expected);
    }
  }

  /** Records that the partition does not know the session. */
  void noSession() {
    sessionLost = true;
  }

  boolean isSessionLost() {
    return sessionLost;
  }

  /**
   * Numbers the calls for a new session. The log keeps the calls that the partition certainly never
   * executed. It also keeps settlements, because their fencing tokens make it safe to send them
   * again. All other operations and claims end.
   */
  void startNewSession(Unanswered unanswered) {
    Iterator<InFlightCall> each = calls.iterator();
    nextNumber = 1;
    while (each.hasNext()) {
      InFlightCall call = each.next();
      boolean mayHaveRun = call.mayHaveRun() && call.number() < neverRunFrom;
      if (mayHaveRun) {
        call.keepSettlements(removed -> unanswered.outcomeUnknown(removed, call.failure()));
      }
      if (call.isEmpty()) {
        each.remove();
      } else {
        call.moveToNewSession(mayHaveRun);
        call.number(nextNumber++);
      }
    }
    // If no fail-over has set the partition back, the partition has answered NoSession. This can
    // mean that a second client uses the session (see Call), so this client must not end the
    // session.
    forgotten = neverRunFrom == Long.MAX_VALUE ? null : session;
    nextSession = newSession(client, random);
    highestAnswered = 0;
    sessionLost = false;
    neverRunFrom = Long.MAX_VALUE;
  }

  /**
   * Removes all calls. Only called if no session is open, or the session has no further use.
   *
   * @param removed receives each call before its removal, so that an error loses none
   */
  void removeAll(Consumer<InFlightCall> removed) {
    for (InFlightCall call = calls.peek(); call != null; call = calls.peek()) {
      removed.accept(call);
      calls.remove();
    }
    nextNumber = 1;
  }

  void removeWithdrawn(Consumer<Pending.OfOperation> removed) {
    calls.forEach(call -> call.removeWithdrawn(removed));
  }

  /** Returns the later calls that the partition has certainly not executed. */
  List<InFlightCall> certainlyNotRunAfter(InFlightCall call) {
    return calls.stream()
        .filter(later -> later.number() > call.number() && later.isCertainlyNotRun())
        .toList();
  }

  /** Returns the calls whose operations are all overdue. */
  List<InFlightCall> overdue(long nowNanos) {
    return calls.stream()
        .filter(call -> call.hasOperations() && call.deadlineNanos() - nowNanos <= 0)
        .toList();
  }

  /**
   * Returns the earliest deadline of a call with operations, or {@code latest} if no deadline is
   * earlier.
   */
  long firstDeadline(long latest) {
    long first = latest;
    for (InFlightCall call : calls) {
      if (call.hasOperations() && call.deadlineNanos() - first < 0) {
        first = call.deadlineNanos();
      }
    }
    return first;
  }
}
