package io.punctual.jdbc.partition;

import io.punctual.State;
import io.punctual.embedded.Place;
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
import org.jspecify.annotations.Nullable;

/**
 * Purges a queue in transactions of bounded size, in the order of the messages' times. A message
 * that comes to a place which the purge has passed stays. For a single thread at a time.
 */
final class Purging {
  private static final int STEP = 1000;

  private final String queue;
  private final Access access;
  private final Set<State> states;
  private final Messages messages;
  private final Deque<Place> places = new ArrayDeque<>();
  private @Nullable QueueRow begun;
  private Step last = Step.BEGIN;
  private long removed;

  Purging(String queue, Access access, Set<State> states) {
    this.queue = queue;
    this.access = access;
    this.states = states;
    messages = new Messages(access.dialect());
  }

  /** A step removed as many messages, the last of which had this position. */
  private record Step(int removed, long time, byte[] id) {
    static final Step BEGIN = new Step(STEP, Long.MIN_VALUE, new byte[0]);
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
    last = step(begun, place);
    removed += last.removed();
    if (last.removed() < STEP) {
      places.remove();
      last = Step.BEGIN;
    }
    return null;
  }

  private Step step(QueueRow begin, Place place) {
    boolean waiting = place == Place.WAITING;
    boolean scheduled = !waiting || states.contains(State.SCHEDULED);
    boolean ready = !waiting || states.contains(State.READY);
    long latest = scheduled ? Long.MAX_VALUE : Math.floorDiv(begin.nowMicros(), 1000);
    Step from = last;
    return access
        .transactions()
        .run(connection -> step(connection, begin, place, from, ready, latest));
  }

  private Step step(
      Connection connection, QueueRow begin, Place place, Step from, boolean ready, long latest)
      throws SQLException {
    QueueRow now = access.queues().findForClaim(connection, queue, false);
    if (now == null || now.id() != begin.id()) {
      return new Step(0, 0, new byte[0]);
    }
    long notReady = Math.floorDiv(now.nowMicros(), 1000) + 1;
    long first = ready ? from.time() : Math.max(from.time(), notReady);
    String sql =
        "SELECT id, at_millis FROM punctual_message WHERE queue_id = ? AND state = ?"
            + " AND at_millis >= ? AND at_millis <= ? AND (at_millis > ? OR id > ?)"
            + " ORDER BY at_millis, id LIMIT ? FOR UPDATE";
    List<byte[]> ids = new ArrayList<>();
    long time = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      statement.setInt(2, Messages.code(place));
      statement.setLong(3, first);
      statement.setLong(4, latest);
      statement.setLong(5, from.time());
      statement.setBytes(6, from.id());
      statement.setInt(7, STEP);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          ids.add(found.getBytes(1));
          time = found.getLong(2);
        }
      }
    }
    messages.delete(connection, now.id(), ids);
    byte[] id = ids.isEmpty() ? new byte[0] : ids.get(ids.size() - 1);
    return new Step(ids.size(), time, id);
  }
}
