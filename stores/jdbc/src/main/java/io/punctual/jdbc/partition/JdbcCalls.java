package io.punctual.jdbc.partition;

import io.punctual.embedded.CallLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.SessionAnswer;
import io.punctual.jdbc.sql.ResolvableTransaction;
import io.punctual.jdbc.sql.SqlFailures;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.SessionTable;
import io.punctual.spi.SessionTable.Admission;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Executes each call of a session exactly once. Each call is a transaction, and the sessions are in
 * the memory of this process. If a commit got no reply, the result of the call is looked up in the
 * database. For a single thread at a time.
 */
final class JdbcCalls {
  /**
   * The lock timeout of a repeated call, in milliseconds. Calls of other clients usually hold locks
   * for a much shorter time.
   */
  static final int LOCK_MILLIS = 250;

  /**
   * The time after which a call does not wait any longer for an open transaction that has created
   * the queue. It is shorter than the default timeout of a blocking call, 5 seconds, so that the
   * caller receives the reason.
   */
  private static final long NEW_QUEUE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final String NO_DURABILITY =
      "The SQL store has no durability to choose: the settings of the database decide";

  private final String queue;
  private final StoreParts parts;
  private final SessionTable<SessionAnswer<Reply.Applied>> sessions = new SessionTable<>();

  /** The number of the queue when it was last found, or null if the queue did not exist. */
  private @Nullable Long known;

  private final ClaimState claims = new ClaimState(System::nanoTime);
  private final CallDurations durations = new CallDurations();
  private final FinishedIdCleanup cleanup;

  /**
   * For each session, the call whose result is unknown because its commit got no reply. The session
   * repeats this call before it sends the next call.
   */
  private final Map<String, CallChange> undecided = new HashMap<>();

  JdbcCalls(String queue, StoreParts parts, FinishedIdCleanup cleanup) {
    this.queue = queue;
    this.parts = parts;
    this.cleanup = cleanup;
  }

  void open(String session, @Nullable String replaces) {
    notice(parts.transactions().run(connection -> parts.queues().find(connection, queue)));
    sessions.open(session, replaces);
    if (replaces != null && !replaces.equals(session)) {
      decided(replaces);
    }
  }

  void close(String session) {
    sessions.close(session);
    decided(session);
  }

  /**
   * Ends all sessions if they belong to the queue with this number, which was deleted. Sessions
   * that belong to a new queue with the same name continue.
   */
  void deleted(long id) {
    if (known != null && known == id) {
      clear();
    }
  }

  /** Notes a committed change of messages; see {@link ClaimState}. Safe for use by many threads. */
  void changed(Earliest earliest) {
    claims.changed(earliest);
  }

  /** Returns whether the last claim met messages that other transactions had locked. */
  boolean metLocks() {
    return claims.metLocks();
  }

  private void clear() {
    claims.sweepNext();
    cleanup.restart();
    sessions.clear();
    List.copyOf(undecided.keySet()).forEach(this::decided);
    known = null;
  }

  private void notice(@Nullable QueueRow found) {
    if (known != null && (found == null || found.id() != known)) {
      clear();
    }
    known = found == null ? null : Long.valueOf(found.id());
  }

  /**
   * Executes a call, or repeats the reply of an executed call.
   *
   * @param waits whether to wait for locks of open transactions
   * @throws LockedException without effect if the call would have to wait
   */
  CallResult answer(Call call, boolean waits) {
    Admission<SessionAnswer<Reply.Applied>> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<SessionAnswer<Reply.Applied>> refused) {
      return repeated(refused.reply());
    }
    if (admission instanceof Admission.Repeated<SessionAnswer<Reply.Applied>> repeated) {
      return repeated(again(repeated.answer()));
    }
    try {
      CallResult made = make(call, waits);
      known = made.queue() == null ? null : Long.valueOf(made.queue().id());
      sessions.remember(call, Objects.requireNonNull(made.answer()));
      if (call.body() instanceof Call.Apply apply) {
        cleanup.executed(apply.operations());
      }
      return made;
    } catch (QueueChangedException e) {
      clear();
      known = e.present;
      return repeated(new Reply.NoSession());
    }
  }

  private static CallResult repeated(Reply reply) {
    return new CallResult(reply, null, null, Earliest.NONE);
  }

  private Reply again(SessionAnswer<Reply.Applied> answer) {
    if (answer instanceof SessionAnswer.Applied<Reply.Applied> applied) {
      return applied.reply();
    }
    return parts.transactions().run(connection -> again(connection, answer));
  }

  private Reply again(Connection connection, SessionAnswer<Reply.Applied> answer)
      throws SQLException {
    QueueRow row = parts.queues().find(connection, queue);
    if (row != null && answer instanceof SessionAnswer.Claimed<Reply.Applied> claimed) {
      return parts.claiming().again(connection, row, claimed, "");
    }
    return again(answer, row == null ? parts.queues().nowMicros(connection) : row.nowMicros());
  }

  /** Repeats the answer to a claim that left nothing leased. */
  private static Reply again(SessionAnswer<Reply.Applied> answer, long nowMicros) {
    return answer instanceof SessionAnswer.Taken<Reply.Applied> taken
        ? taken.again(new EngineTime(nowMicros))
        : new Reply.Claimed(
            List.of(), List.of(), ((SessionAnswer.Claimed<?>) answer).token(), nowMicros, 0);
  }

  /**
   * Executes a call. If the call was executed before and its commit got no reply, first finds out
   * the result of that commit. If that commit was rolled back, executes the operations of the
   * repeated call. These may be fewer, because the session removes operations whose results it has
   * reported as unknown.
   */
  private CallResult make(Call call, boolean waits) {
    CallChange earlier = undecided.get(call.session());
    CallResult committed = earlier == null ? null : parts.transactions().resolve(earlier);
    decided(call.session());
    return committed == null ? makeNew(call, waits) : committed;
  }

  private CallResult makeNew(Call call, boolean waits) {
    CallChange change =
        call.body() instanceof Call.Claim claim
            ? new ClaimChange(claim, call.session())
            : new ApplyChange((Call.Apply) call.body(), waits);
    undecided.put(call.session(), change);
    boolean isDecided = false;
    try {
      CallResult made = parts.transactions().make(change);
      isDecided = true;
      change.committed();
      return made;
    } catch (Partition.NotSentException
        | Partition.PartitionException
        | QueueChangedException
        | LockedException e) {
      isDecided = true;
      throw e;
    } finally {
      if (isDecided) {
        decided(call.session());
      }
    }
  }

  private void decided(String session) {
    CallChange change = undecided.remove(session);
    if (change != null) {
      change.end();
    }
  }

  /** Throws if the queue for which the sessions were opened was deleted. */
  private void check(@Nullable QueueRow found) {
    if (known != null && (found == null || found.id() != known)) {
      throw new QueueChangedException(found == null ? null : Long.valueOf(found.id()));
    }
  }

  private interface CallChange extends ResolvableTransaction<CallResult> {
    /** Called when the result of the call is known, or is no longer needed. */
    default void end() {}

    /** Called once the call is known to be committed. */
    default void committed() {}
  }

  private final class ClaimChange implements CallChange {
    private final Call.Claim asked;
    private final String session;
    private final CallMarker marker = new CallMarker(parts.markers());
    private @Nullable CallResult result;

    ClaimChange(Call.Claim asked, String session) {
      CallLimits.check(asked);
      this.session = session;
      this.asked = asked;
    }

    @Override
    public CallResult make(Connection connection) throws SQLException {
      result = null;
      QueueRow row = parts.queues().findForClaim(connection, queue, !asked.atMostOnce());
      check(row);
      Reply.Claimed reply =
          row == null
              ? nothing(connection)
              : parts.claiming().claim(connection, row, asked, session, claims);
      if (asked.atMostOnce() && !reply.messages().isEmpty()) {
        marker.insert(connection);
      }
      CallResult made =
          new CallResult(reply, SessionAnswer.of(reply, asked.atMostOnce()), row, Earliest.NONE);
      result = made;
      return made;
    }

    @Override
    public void committed() {
      claims.committed();
    }

    private Reply.Claimed nothing(Connection connection) throws SQLException {
      long now = parts.queues().nowMicros(connection);
      return new Reply.Claimed(List.of(), List.of(), claims.lastToken(), now, Reply.NONE);
    }

    /**
     * Returns the messages that are leased with the claim's token. There are none if the claim was
     * rolled back. For an at-most-once claim, returns its result, or null if it was rolled back.
     * Returns null if the claim failed before its commit.
     */
    @Override
    public @Nullable CallResult resolve(Connection connection) throws SQLException {
      CallResult made = result;
      if (made == null || marker.wasRolledBack(connection)) {
        return null;
      }
      claims.sweepNext();
      if (made.answer() instanceof SessionAnswer.Claimed<Reply.Applied> claimed) {
        QueueRow row = parts.queues().findForCall(connection, queue, false, LOCK_MILLIS);
        Reply reply =
            row == null
                ? nothing(connection)
                : parts.claiming().again(connection, row, claimed, " FOR UPDATE");
        return new CallResult(reply, claimed, row, Earliest.NONE);
      }
      return made;
    }

    @Override
    public void end() {
      marker.end();
    }
  }

  private final class ApplyChange implements CallChange {
    private final Call.Apply asked;
    private final boolean waits;
    private final CallMarker marker = new CallMarker(parts.markers());
    private @Nullable CallResult result;
    private final long beganNanos = System.nanoTime();
    private final PatientApplying applying;
    private long attemptNanos;

    /** Whether an open transaction has locked or created the queue, and has not ended in time. */
    private boolean isQueueLocked;

    ApplyChange(Call.Apply asked, boolean waits) {
      CallLimits.check(asked, NO_DURABILITY);
      this.asked = asked;
      this.waits = waits;
      applying = new PatientApplying(parts, asked.operations(), durations.patienceNanos(), waits);
    }

    @Override
    public CallResult make(Connection connection) throws SQLException {
      try {
        return attempt(connection);
      } catch (SQLException e) {
        boolean isLate = System.nanoTime() - beganNanos >= PatientApplying.FIRST_LOCK_NANOS;
        if (!waits && isLate && SqlFailures.isLockTimeout(e)) {
          throw new LockedException(e);
        }
        throw e;
      }
    }

    private CallResult attempt(Connection connection) throws SQLException {
      attemptNanos = System.nanoTime();
      if (!asked.operations().isEmpty()) {
        marker.insert(connection);
      }
      boolean schedules = asked.operations().stream().anyMatch(Operation::mayAddMessage);
      QueueRow row = findOrCreate(connection, schedules, applying.begin());
      CallResult made = apply(connection, row, row == null && schedules);
      result = made;
      return made;
    }

    /** Returns null if there is no queue; for schedules, only if an open transaction creates it. */
    private @Nullable QueueRow findOrCreate(
        Connection connection, boolean schedules, int lockMillis) throws SQLException {
      try {
        // On MariaDB and MySQL, a read with a lock would wait for the open transaction again.
        if (isQueueLocked && find(connection, false, lockMillis) == null) {
          return null;
        }
        QueueRow row = find(connection, schedules, lockMillis);
        return row == null && schedules
            ? parts.queues().create(connection, queue, lockMillis)
            : row;
      } catch (SQLException e) {
        isQueueLocked =
            SqlFailures.isLockTimeout(e) && System.nanoTime() - beganNanos > NEW_QUEUE_NANOS;
        throw e;
      }
    }

    private @Nullable QueueRow find(Connection connection, boolean keep, int lockMillis)
        throws SQLException {
      QueueRow row = parts.queues().findForCall(connection, queue, keep, lockMillis);
      check(row);
      return row;
    }

    private CallResult apply(Connection connection, @Nullable QueueRow row, boolean isBusy)
        throws SQLException {
      long micros = row == null ? parts.queues().nowMicros(connection) : row.nowMicros();
      Applying.Applied applied =
          isBusy
              ? SplitApplying.newQueueIsBusy(queue, asked.operations())
              : applying.apply(connection, row, new EngineTime(micros));
      Reply.Applied reply = new Reply.Applied(applied.outcomes(), micros, null);
      return new CallResult(reply, new SessionAnswer.Applied<>(reply), row, applied.earliest());
    }

    @Override
    public void committed() {
      durations.add(System.nanoTime() - attemptNanos);
    }

    @Override
    public void end() {
      marker.end();
    }

    @Override
    public @Nullable CallResult resolve(Connection connection) throws SQLException {
      return marker.wasRolledBack(connection) ? null : result;
    }
  }
}
