package io.punctual.jdbc.partition;

import io.punctual.LockedByTransactionException;
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
 * Purges a queue in steps, each of which is a transaction. The purge removes the messages of a
 * {@link Place} in the order of their times, and then continues with the next place: waiting,
 * leased, dead, finished. A message that moves to a time before the purge's position is not
 * removed. If an open transaction has locked a message, the step is repeated with fewer messages,
 * because a step locks its other messages while it waits. For a single thread at a time.
 */
final class Purging {
  private static final int LARGEST_STEP = 1000;
  private static final int SHRINK = 10;
  private static final long LOCKED_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final String queue;
  private final StoreParts parts;
  private final Set<State> states;
  private final Messages messages;
  private final InTimeOrder order;
  private final Deque<Place> places = new ArrayDeque<>();
  private @Nullable QueueRow begun;
  private Position last = Position.START;
  private int size = LARGEST_STEP;
  private long removed;

  /**
   * The time of {@link System#nanoTime} at which a step first met a locked message; 0 after a
   * successful step.
   */
  private long lockedSince;

  Purging(String queue, StoreParts parts, Set<State> states) {
    this.queue = queue;
    this.parts = parts;
    this.states = states;
    messages = new Messages(parts.dialect());
    order = new InTimeOrder(parts.dialect(), "id, at_millis");
  }

  /**
   * The result of a step.
   *
   * @param found the number of messages that the step read
   * @param removed the number of messages that it removed
   * @param last the position of the last message that it read
   */
  private record Step(int found, int removed, Position last) {
    static final Step NOTHING = new Step(0, 0, Position.START);
  }

  /**
   * The messages to remove: the messages of a place with times from {@code earliest} to {@code
   * latest}, inclusive.
   */
  private record Purged(Place place, long earliest, long latest) {
    boolean contains(int state, long time) {
      return state == Messages.code(place) && time >= earliest && time <= latest;
    }
  }

  /**
   * Executes a step. Returns the total number of removed messages after the last step, and null
   * after all other steps.
   */
  @Nullable Long step() {
    if (begun == null) {
      begun = parts.transactions().run(connection -> parts.queues().find(connection, queue));
      EnumSet.of(Place.WAITING, Place.LEASED, Place.DEAD, Place.FINISHED).stream()
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
      throw new LockedByTransactionException(
          "The purge of queue '"
              + queue
              + "' ended early, after "
              + removed
              + " messages: a transaction that is still open has changed the next message, or the"
              + " table is locked. Repeat the purge when the transaction has ended");
    }
    size = Math.max(1, size / SHRINK);
  }

  /**
   * Executes a step in a transaction. Returns null without effect if an open transaction has locked
   * a message.
   */
  private @Nullable Step step(QueueRow begin, Place place) {
    boolean waiting = place == Place.WAITING;
    boolean scheduled = !waiting || states.contains(State.SCHEDULED);
    boolean ready = !waiting || states.contains(State.READY);
    long latest = scheduled ? Long.MAX_VALUE : Math.floorDiv(begin.nowMicros(), 1000);
    return parts
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
    QueueRow now = parts.queues().findForPurge(connection, queue, JdbcCalls.LOCK_MILLIS);
    if (now == null || now.id() != begin.id()) {
      return Step.NOTHING;
    }
    long notReady = Math.floorDiv(now.nowMicros(), 1000) + 1;
    Purged purged =
        new Purged(place, ready && place != Place.FINISHED ? Long.MIN_VALUE : notReady, latest);
    List<Position> found = next(connection, now, purged);
    if (found.isEmpty()) {
      return Step.NOTHING;
    }
    List<byte[]> locked = lock(connection, now, purged, found);
    messages.delete(connection, now.id(), locked);
    return new Step(found.size(), locked.size(), found.get(found.size() - 1));
  }

  /**
   * Reads the next messages without locks. If the statement waited for a lock, a different
   * transaction could move a message to a later time during the wait, and the purge would then skip
   * the messages before that time.
   */
  private List<Position> next(Connection connection, QueueRow now, Purged purged)
      throws SQLException {
    List<Position> found = new ArrayList<>();
    order.read(
        connection,
        now.id(),
        Messages.code(purged.place()),
        last.from(purged.earliest()),
        purged.latest(),
        size,
        row -> found.add(new Position(row.getLong(2), row.getBytes(1))));
    return found;
  }

  /** Locks messages, and returns the ids of the messages that are still to be removed. */
  private List<byte[]> lock(
      Connection connection, QueueRow now, Purged purged, List<Position> found)
      throws SQLException {
    List<byte[]> ids = found.stream().map(Position::id).toList();
    String sql =
        "SELECT id, state, at_millis FROM punctual_message"
            + parts.dialect().byId()
            + " WHERE "
            + parts.dialect().hasIds(ids.size())
            + " ORDER BY id FOR UPDATE";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      parts.dialect().setIds(statement, 2, ids);
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
