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
 * transaction is repeated with fewer messages, because it locks other messages while it waits. For
 * a single thread at a time.
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

  /**
   * The result of a step.
   *
   * @param found the number of messages that the step looked at
   * @param last the last of them
   */
  private record Step(int found, int removed, Position last) {
    static final Step NOTHING = new Step(0, 0, Position.START);
  }

  /** The messages to remove: a place, and a span of times with both ends. */
  private record Purged(Place place, long earliest, long latest) {
    boolean contains(int state, long time) {
      return state == Messages.code(place) && time >= earliest && time <= latest;
    }
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
    if (done.found() < size) {
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
    Purged purged = new Purged(place, ready ? Long.MIN_VALUE : notReady, latest);
    List<Position> found = next(connection, now, purged);
    if (found.isEmpty()) {
      return Step.NOTHING;
    }
    List<byte[]> locked = lock(connection, now, purged, found);
    messages.delete(connection, now.id(), locked);
    return new Step(found.size(), locked.size(), found.get(found.size() - 1));
  }

  /**
   * Reads the next messages without locks: while a lock waits, a different transaction can move a
   * message to a later time, and the purge would continue behind that time.
   */
  private List<Position> next(Connection connection, QueueRow now, Purged purged)
      throws SQLException {
    String sql =
        "SELECT id, at_millis FROM punctual_message"
            + access.dialect().byTime()
            + " WHERE queue_id = ? AND state = ?"
            + " AND at_millis >= ? AND at_millis <= ? AND (at_millis > ? OR id > ?)"
            + " ORDER BY at_millis, id LIMIT ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      statement.setInt(2, Messages.code(purged.place()));
      statement.setLong(3, Math.max(last.time(), purged.earliest()));
      statement.setLong(4, purged.latest());
      statement.setLong(5, last.time());
      statement.setBytes(6, last.id());
      statement.setInt(7, size);
      try (ResultSet rows = statement.executeQuery()) {
        List<Position> found = new ArrayList<>();
        while (rows.next()) {
          found.add(new Position(rows.getLong(2), rows.getBytes(1)));
        }
        return found;
      }
    }
  }

  /** Locks messages, and returns the ids of the messages that the purge still removes. */
  private List<byte[]> lock(
      Connection connection, QueueRow now, Purged purged, List<Position> found)
      throws SQLException {
    List<byte[]> ids = found.stream().map(Position::id).toList();
    String sql =
        "SELECT id, state, at_millis FROM punctual_message"
            + access.dialect().byId()
            + " WHERE queue_id = ? AND "
            + access.dialect().idIn(ids.size())
            + " ORDER BY id FOR UPDATE";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      access.dialect().setIds(statement, 2, ids);
      try (ResultSet rows = statement.executeQuery()) {
        List<byte[]> locked = new ArrayList<>();
        while (rows.next()) {
          if (purged.contains(rows.getInt(2), rows.getLong(3))) {
            locked.add(rows.getBytes(1));
          }
        }
        return locked;
      }
    }
  }
}
