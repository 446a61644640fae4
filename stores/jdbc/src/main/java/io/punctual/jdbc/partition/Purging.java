package io.punctual.jdbc.partition;

import io.punctual.MessageBusyException;
import io.punctual.State;
import io.punctual.embedded.Place;
import io.punctual.jdbc.sql.SqlFailures;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Purges a queue in transactions of bounded size, in the order of the messages' times. A message
 * that comes to a place which the purge has passed stays. A step that meets a message of an open
 * transaction is repeated with fewer messages, because it locks the messages before it while it
 * waits. For a single thread at a time.
 */
final class Purging {
  private static final int LARGEST_STEP = 1000;
  private static final int SHRINK = 10;
  private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final String queue;
  private final Access access;
  private final Set<State> states;
  private final Messages messages;
  private final Deque<Place> places = new ArrayDeque<>();
  private @Nullable QueueRow begun;
  private Position last = Position.START;
  private int size = LARGEST_STEP;
  private long removed;

  /** The time of {@link System#nanoTime} since which the next message is locked; 0 if it is not. */
  private long lockedSince;

  Purging(String queue, Access access, Set<State> states) {
    this.queue = queue;
    this.access = access;
    this.states = states;
    messages = new Messages(access.dialect());
  }

  /** The last message of a step. */
  private record Position(long time, byte[] id) {
    static final Position START = new Position(Long.MIN_VALUE, new byte[0]);
  }

  /** A step removed this number of messages; its position is null if it removed none. */
  private record Step(int removed, @Nullable Position last) {
    static final Step NOTHING = new Step(0, null);
  }

  /** Executes a step; returns the number of all removed messages, or null before the end. */
  @Nullable Long step() {
    if (begun == null) {
      begun = access.transactions().run(connection -> access.queues().find(connection, queue));
      EnumSet.of(Place.WAITING, Place.LEASED, Place.DEAD).stream()
          .filter(place -> states.stream().anyMatch(state -> Place.of(state) == place))
          .forEach(places::add);
      if (begun == null) {
        return 0L;
      }
    }
    Place place = places.peek();
    if (place == null) {
      return removed;
    }
    Step done = step(begun, place);
    if (done == null) {
      locked();
    } else {
      done(done);
    }
    return null;
  }

  private void done(Step done) {
    removed += done.removed();
    lockedSince = 0;
    if (done.removed() < size || done.last() == null) {
      places.remove();
      last = Position.START;
    } else {
      last = done.last();
    }
    size = Math.min(LARGEST_STEP, size * SHRINK);
  }

  private void locked() {
    long now = System.nanoTime();
    if (lockedSince == 0) {
      lockedSince = now == 0 ? 1 : now;
    }
    if (now - lockedSince > LOCKED_NANOS) {
      throw new MessageBusyException(
          "The purge of queue '"
              + queue
              + "' ended early, after "
              + removed
              + " messages: a transaction that is still open has changed the next message, or the"
              + " table is locked. Repeat the purge when the transaction has ended");
    }
    size = Math.max(1, size / SHRINK);
  }

  /** Returns null if an open transaction has locked a message. */
  private @Nullable Step step(QueueRow begin, Place place) {
    boolean waiting = place == Place.WAITING;
    boolean scheduled = !waiting || states.contains(State.SCHEDULED);
    boolean ready = !waiting || states.contains(State.READY);
    long latest = scheduled ? Long.MAX_VALUE : Math.floorDiv(begin.nowMicros(), 1000);
    return access
        .transactions()
        .<@Nullable Step>run(
            connection -> {
              try {
                return step(connection, begin, place, ready, latest);
              } catch (SQLException e) {
                if (SqlFailures.isLockTimeout(e)) {
                  connection.rollback();
                  return null;
                }
                throw e;
              }
            });
  }

  private Step step(Connection connection, QueueRow begin, Place place, boolean ready, long latest)
      throws SQLException {
    QueueRow now = access.queues().findForPurge(connection, queue, Calls.LOCK_MILLIS);
    if (now == null || now.id() != begin.id()) {
      return Step.NOTHING;
    }
    long notReady = Math.floorDiv(now.nowMicros(), 1000) + 1;
    long first = ready ? last.time() : Math.max(last.time(), notReady);
    String sql =
        "SELECT id, at_millis FROM punctual_message"
            + access.dialect().byTime()
            + " WHERE queue_id = ? AND state = ?"
            + " AND at_millis >= ? AND at_millis <= ? AND (at_millis > ? OR id > ?)"
            + " ORDER BY at_millis, id LIMIT ? FOR UPDATE";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      statement.setInt(2, Messages.code(place));
      statement.setLong(3, first);
      statement.setLong(4, latest);
      statement.setLong(5, last.time());
      statement.setBytes(6, last.id());
      statement.setInt(7, size);
      try (ResultSet found = statement.executeQuery()) {
        return remove(connection, now, found);
      }
    }
  }

  private Step remove(Connection connection, QueueRow now, ResultSet found) throws SQLException {
    List<byte[]> ids = new ArrayList<>();
    long time = 0;
    while (found.next()) {
      ids.add(found.getBytes(1));
      time = found.getLong(2);
    }
    if (ids.isEmpty()) {
      return Step.NOTHING;
    }
    messages.delete(connection, now.id(), ids);
    return new Step(ids.size(), new Position(time, ids.get(ids.size() - 1)));
  }
}
