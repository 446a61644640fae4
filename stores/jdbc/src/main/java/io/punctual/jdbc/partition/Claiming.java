package io.punctual.jdbc.partition;

import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.SessionAnswer;
import io.punctual.internal.log.Logs;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Leases the messages of a claim: first messages with expired leases, then due messages. Claims
 * lock their rows and skip the locked rows of other claims; on H2, the claims of a queue run one
 * after another. The token of a claim is the database's time, or higher if a message or the last
 * claim already has that token or a higher token. A message therefore never gets the same token
 * twice, even after a crash that lost a claim. Immutable, so safe for use by many threads.
 */
final class Claiming {
  /**
   * A claim reads at least this number of expired leases at once, if there are so many. Some of
   * their messages can be cancelled; the claim removes them instead of leasing them.
   */
  private static final int EXPIRED_STEP = 100;

  /** The state of waiting messages in the table. */
  private static final int WAITING = 0;

  /** The state of leased messages in the table. */
  private static final int LEASED = 1;

  private static final int MAX_REMOVALS = Partition.MAX_PAGE;

  private static final Logger log = Logs.of(Claiming.class);

  private final Dialect dialect;
  private final Candidates candidates;

  Claiming(Dialect dialect) {
    this.dialect = dialect;
    candidates = new Candidates(dialect);
  }

  /**
   * Executes a claim, and notes in the state where the next claim begins.
   *
   * @param session the session of the claim
   */
  Reply.Claimed claim(
      Connection connection, QueueRow queue, Call.Claim asked, String session, ClaimState state)
      throws SQLException {
    EngineTime now = new EngineTime(queue.nowMicros());
    state.begin();
    QueueLimit limit = QueueLimit.lock(connection, dialect, queue);
    int most = limit.most(asked.limit(), now);
    Selected selected =
        queue.paused()
            ? new Selected()
            : select(connection, queue, asked.atMostOnce(), most, limit, now, state);
    buryDamagedIds(connection, queue, selected.taken, now);
    long token = token(selected.taken, state.lastToken(), now);
    state.claimed(token);
    List<Reply.Leased> messages = new ArrayList<>();
    List<Reply.Unreadable> unreadable = new ArrayList<>();
    candidates.readLarge(connection, queue.id(), selected.taken);
    for (Candidate one : selected.taken) {
      Object read = one.read(one.attempts + 1);
      if (read instanceof Reply.Leased leased) {
        messages.add(leased);
      } else {
        unreadable.add((Reply.Unreadable) read);
      }
    }
    List<String> ids = messages.stream().map(Reply.Leased::id).toList();
    List<String> leased = new ArrayList<>(unreadable.stream().map(Reply.Unreadable::id).toList());
    if (asked.atMostOnce()) {
      candidates.removeIds(connection, queue.id(), ids);
    } else {
      leased.addAll(ids);
    }
    if (!leased.isEmpty()) {
      long leasedUntil = now.millisAfter(asked.leaseMillis());
      state.leases(leasedUntil);
      candidates.lease(connection, queue.id(), leased, leasedUntil, token, session);
    }
    int delivered = ids.size() + unreadable.size();
    limit.delivered(delivered, now);
    long until =
        limit.isLockedElsewhere()
            ? state.lockedMicros()
            : Math.max(
                untilNext(connection, queue, most, selected, now, state),
                queue.paused() ? 0 : limit.untilToken(delivered, now));
    return new Reply.Claimed(messages, unreadable, token, now.micros(), until);
  }

  /**
   * Buries messages whose ids are not UTF-8. No operation can name such a message, so workers would
   * receive it forever.
   */
  private void buryDamagedIds(
      Connection connection, QueueRow queue, List<Candidate> taken, EngineTime now)
      throws SQLException {
    List<Candidate> damaged = taken.stream().filter(Candidate::hasDamagedId).toList();
    if (!damaged.isEmpty()) {
      taken.removeAll(damaged);
      candidates.bury(connection, queue.id(), damaged, now.millis());
      log.warn(
          "Queue '{}': buried {} messages whose ids are not UTF-8. Only Punctual may write"
              + " punctual_message; purge the dead messages of the queue",
          queue.name(),
          damaged.size());
    }
  }

  private long untilNext(
      Connection connection,
      QueueRow queue,
      int limit,
      Selected selected,
      EngineTime now,
      ClaimState state)
      throws SQLException {
    if (queue.paused()) {
      return Reply.NONE;
    }
    long due = candidates.earliest(connection, queue.id(), WAITING, state.waitingFrom());
    if (selected.isFull) {
      due = Long.MAX_VALUE;
    }
    if (due <= now.millis() && !(limit > 0 && selected.exhausted)) {
      // A later sweep finds an expired lease that a different transaction has locked.
      if (selected.tookExpired) {
        state.tookExpired(now.millis());
      }
      return 0;
    }
    if (state.needsLeasedNext(now.millis(), due)) {
      state.foundLeasedNext(earliestLease(connection, queue, state.leasedNextFrom()));
    }
    long earliest = Math.min(due, state.leasedNext());
    boolean tookAll = selected.exhausted || (selected.isFull && selected.tookExpired);
    boolean othersLockedTheRest = limit > 0 && tookAll && earliest <= now.millis();
    if (othersLockedTheRest) {
      long after = now.millis() + 1;
      long next =
          Math.min(
              candidates.earliest(connection, queue.id(), WAITING, Position.before(after)),
              earliestLease(connection, queue, Math.max(after, state.leasedNextFrom())));
      return Math.min(state.lockedMicros(), now.until(next));
    }
    state.foundNoLocks();
    if (selected.exhausted) {
      state.tookDue(now.millis());
    }
    if (selected.tookExpired) {
      state.tookExpired(now.millis());
    }
    return now.until(earliest);
  }

  private long earliestLease(Connection connection, QueueRow queue, long fromMillis)
      throws SQLException {
    return candidates.earliest(connection, queue.id(), LEASED, Position.before(fromMillis));
  }

  private static long token(List<Candidate> taken, long lastToken, EngineTime now) {
    long last = taken.stream().mapToLong(one -> one.token).max().orElse(0);
    return PartitionRules.nextToken(Math.max(last, lastToken), now.micros());
  }

  /** Collects the messages that a claim takes. */
  private static final class Selected {
    final List<Candidate> taken = new ArrayList<>();
    long bytes;

    /** Whether the claim took all due messages that it could lock. */
    boolean exhausted;

    /**
     * Whether the claim took all messages with expired leases that it could lock, and continued
     * with due messages.
     */
    boolean tookExpired;

    /** Whether the concurrency limit allows no further due message. */
    boolean isFull;

    /** Adds a message to the reply. Returns false if the reply would become too large. */
    boolean take(Candidate one) {
      bytes += taken.isEmpty() ? 0 : one.bytes;
      if (bytes > ClaimSelection.REPLY_BYTES) {
        return false;
      }
      taken.add(one);
      return true;
    }
  }

  private Selected select(
      Connection connection,
      QueueRow queue,
      boolean atMostOnce,
      int most,
      QueueLimit limit,
      EngineTime now,
      ClaimState state)
      throws SQLException {
    Selected selected = new Selected();
    selected.tookExpired = most > 0 && selectExpired(connection, queue, most, now, selected, state);
    int before = selected.taken.size();
    // An at-most-once claim removes its messages, so they keep no places.
    int places = limit.places(state.leasedFrom(), atMostOnce ? before : 0);
    int room = selected.tookExpired ? Math.min(most - before, places) : 0;
    if (room > 0) {
      selectDue(connection, queue, before + room, now, selected, state);
    }
    int kept = atMostOnce ? 0 : selected.taken.size() - before;
    selected.isFull = kept == places;
    return selected;
  }

  /**
   * Takes messages with expired leases, and removes cancelled messages. Returns whether the claim
   * continues with due messages.
   */
  private boolean selectExpired(
      Connection connection,
      QueueRow queue,
      int limit,
      EngineTime now,
      Selected selected,
      ClaimState state)
      throws SQLException {
    for (int removals = 0; removals < MAX_REMOVALS; ) {
      int step = Math.max(limit, EXPIRED_STEP);
      List<Candidate> expired =
          candidates.lock(
              connection,
              queue.id(),
              LEASED,
              Position.before(state.leasedFrom()),
              now.millis(),
              step);
      List<Candidate> cancelled = expired.stream().filter(one -> one.cancelled).toList();
      candidates.remove(connection, queue.id(), cancelled);
      removals += cancelled.size();
      if (cancelled.isEmpty() || expired.size() < step) {
        return takeAll(expired, limit, selected);
      }
    }
    return false;
  }

  private static boolean takeAll(List<Candidate> found, int limit, Selected selected) {
    List<Candidate> inOrder = new ArrayList<>(found);
    inOrder.sort(Comparator.comparing(Candidate::position));
    for (Candidate one : inOrder) {
      if (!one.cancelled && (selected.taken.size() == limit || !selected.take(one))) {
        return false;
      }
    }
    return selected.taken.size() < limit;
  }

  private void selectDue(
      Connection connection,
      QueueRow queue,
      int limit,
      EngineTime now,
      Selected selected,
      ClaimState state)
      throws SQLException {
    int room = limit - selected.taken.size();
    List<Candidate> due =
        candidates.lock(connection, queue.id(), WAITING, state.waitingFrom(), now.millis(), room);
    selected.exhausted = takeAll(due, limit, selected);
    if (!selected.exhausted) {
      Set<Candidate> taken = new HashSet<>(selected.taken);
      due.stream()
          .takeWhile(taken::contains)
          .reduce((one, next) -> next)
          .ifPresent(last -> state.tookDueUpTo(last.position()));
    }
  }

  /**
   * Repeats the reply of a claim, with the messages that are still leased.
   *
   * @param lock the clause that waits for a claim whose commit is still in progress; empty if the
   *     claim is known to be committed, so that the statement does not wait for transactions of the
   *     application
   */
  Reply.Claimed again(
      Connection connection, QueueRow queue, SessionAnswer.Claimed<?> answer, String lock)
      throws SQLException {
    List<Reply.Leased> messages = new ArrayList<>();
    long now = queue.nowMicros();
    if (!answer.ids().isEmpty()) {
      List<Candidate> leased =
          candidates.leased(connection, queue.id(), answer.ids(), answer.token(), lock);
      candidates.readLarge(connection, queue.id(), leased);
      EngineTime engine = new EngineTime(now);
      for (String id : answer.ids()) {
        leased.stream()
            .filter(one -> one.id.equals(id) && one.time > engine.millis() && !one.cancelled)
            .map(one -> one.read(one.attempts))
            .filter(Reply.Leased.class::isInstance)
            .forEach(read -> messages.add((Reply.Leased) read));
      }
    }
    return new Reply.Claimed(messages, List.of(), answer.token(), now, 0);
  }
}
