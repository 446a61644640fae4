package io.punctual.jdbc.partition;

import io.punctual.QueueLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.LimitShare;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a queue during a claim. A claim of a queue with limits locks the queue's row in
 * {@code punctual_limit} until its commit, so at most one claim of the queue leases messages at a
 * time. A claim does not wait for this lock: if a different claim has locked the row, this claim
 * leases no messages, because the other claim may take all messages that the limits allow. For a
 * single transaction.
 */
final class QueueLimit {
  private final Connection connection;
  private final Dialect dialect;
  private final long queue;
  private final LimitShare share;
  private final long fullMicros;
  private final boolean lockedElsewhere;

  private QueueLimit(
      Connection connection,
      Dialect dialect,
      long queue,
      QueueLimits limits,
      @Nullable Long fullMicros) {
    this.connection = connection;
    this.dialect = dialect;
    this.queue = queue;
    share = LimitShare.of(limits, 1);
    this.fullMicros = fullMicros == null ? 0 : fullMicros;
    lockedElsewhere = fullMicros == null;
  }

  /**
   * Locks the limits of a queue for a claim. Runs no statement if the queue has no limits or is
   * paused.
   */
  static QueueLimit lock(Connection connection, Dialect dialect, QueueRow queue)
      throws SQLException {
    QueueLimits limits = queue.limits();
    if (limits.equals(QueueLimits.none()) || queue.paused()) {
      return new QueueLimit(connection, dialect, queue.id(), QueueLimits.none(), 0L);
    }
    String sql =
        "SELECT full_micros FROM punctual_limit WHERE "
            + dialect.limitOf(Long.toString(queue.id()))
            + dialect.lockCandidates();
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet row = statement.executeQuery()) {
      Long full = row.next() ? row.getLong(1) : null;
      return new QueueLimit(connection, dialect, queue.id(), limits, full);
    }
  }

  /**
   * Counts the leased messages of a queue, up to a limit.
   *
   * @param fromMillis a time before which no lease ends, in milliseconds from 1970
   */
  static int leased(Connection connection, Dialect dialect, long queue, long fromMillis, int limit)
      throws SQLException {
    String sql =
        "SELECT count(*) FROM (SELECT 1 FROM punctual_message"
            + dialect.byTime()
            + " WHERE queue_id = ? AND state = 1 AND at_millis >= ?"
            + " ORDER BY queue_id, state, at_millis LIMIT ?) leases";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, queue);
      statement.setLong(2, fromMillis);
      statement.setInt(3, limit);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /**
   * Returns whether a different transaction has locked the limits, so that this claim leases
   * nothing.
   */
  boolean isLockedElsewhere() {
    return lockedElsewhere;
  }

  /**
   * Returns how many of the asked messages the rate allows; 0 if a different transaction has locked
   * the limits.
   */
  int most(int asked, EngineTime now) {
    return lockedElsewhere ? 0 : Math.min(asked, share.available(fullMicros, now.micros()));
  }

  /**
   * Returns the number of due messages that the concurrency limit allows; 0 if a different
   * transaction has locked the limits.
   *
   * @param leasedFrom a time before which no lease ends, in milliseconds from 1970
   * @param freed how many of the leased messages this claim removes
   */
  int places(long leasedFrom, int freed) throws SQLException {
    if (lockedElsewhere) {
      return 0;
    }
    if (!share.hasConcurrency()) {
      return Integer.MAX_VALUE;
    }
    int most = share.concurrency() + freed;
    return most - leased(connection, dialect, queue, leasedFrom, most);
  }

  /**
   * Takes a token of the rate limit for each leased message. If the database's clock stepped back,
   * the bucket counts as empty from now on, so that the rate continues.
   */
  void delivered(int messages, EngineTime now) throws SQLException {
    if (!share.hasRate()) {
      return;
    }
    if (messages > 0) {
      long full = share.take(messages, fullMicros, now.micros());
      update(
          "UPDATE punctual_limit SET full_micros = ? WHERE " + dialect.lockedLimitOf(queue), full);
    } else if (fullMicros > now.micros() + share.bucketMicros()) {
      // The statement reads the clock again: a different claim may have taken tokens after this
      // transaction read the clock, and before this transaction locked the row.
      String empty = dialect.nowMicros() + " + ?";
      update(
          "UPDATE punctual_limit SET full_micros = "
              + empty
              + " WHERE full_micros > "
              + empty
              + " AND "
              + dialect.lockedLimitOf(queue),
          share.bucketMicros(),
          share.bucketMicros());
    }
  }

  private void update(String sql, long... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setLong(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  /** Returns the microseconds until the rate allows a message. Called after {@link #delivered}. */
  long untilToken(int messages, EngineTime now) {
    if (!share.hasRate()) {
      return 0;
    }
    long full = share.take(messages, fullMicros, now.micros());
    return share.untilToken(full, now.micros());
  }
}
