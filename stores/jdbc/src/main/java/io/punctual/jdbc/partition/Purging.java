package io.punctual.jdbc.partition;

import io.punctual.State;
import io.punctual.embedded.Place;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Purges a queue in transactions of bounded size, in the order of the messages' times. A message
 * that comes to a place which the purge has passed stays. For a single thread.
 */
final class Purging {
  private static final int STEP = 1000;

  private final String queue;
  private final Access access;
  private final Messages messages;

  Purging(String queue, Access access) {
    this.queue = queue;
    this.access = access;
    messages = new Messages(access.dialect());
  }

  /** A step removed as many messages, the last of which had this position. */
  private record Step(int removed, long time, byte @Nullable [] id) {}

  long purge(Set<State> states) {
    QueueRow begun =
        access.transactions().run(connection -> access.queues().find(connection, queue));
    long removed = 0;
    for (Place place : EnumSet.of(Place.WAITING, Place.LEASED, Place.DEAD)) {
      if (begun != null && states.stream().anyMatch(state -> Place.of(state) == place)) {
        removed += purge(begun, place, states);
      }
    }
    return removed;
  }

  private long purge(QueueRow begun, Place place, Set<State> states) {
    long begin = Math.floorDiv(begun.nowMicros(), 1000);
    boolean waiting = place == Place.WAITING;
    boolean scheduled = !waiting || states.contains(State.SCHEDULED);
    boolean ready = !waiting || states.contains(State.READY);
    long last = scheduled ? Long.MAX_VALUE : begin;
    long removed = 0;
    Step step = new Step(STEP, Long.MIN_VALUE, null);
    while (step.removed() == STEP) {
      Step from = step;
      step =
          access
              .transactions()
              .run(connection -> step(connection, begun, place, from, ready, last));
      removed += step.removed();
    }
    return removed;
  }

  private Step step(
      Connection connection, QueueRow begun, Place place, Step from, boolean ready, long last)
      throws SQLException {
    QueueRow now = access.queues().findForClaim(connection, queue, false);
    if (now == null || now.id() != begun.id()) {
      return new Step(0, 0, null);
    }
    long notReady = Math.floorDiv(now.nowMicros(), 1000) + 1;
    long first = ready ? from.time() : Math.max(from.time(), notReady);
    String sql =
        "SELECT id, at_millis FROM punctual_message WHERE queue_id = ? AND state = ?"
            + " AND at_millis >= ? AND at_millis <= ? AND (at_millis > ? OR id > ?)"
            + " ORDER BY at_millis, id LIMIT ? FOR UPDATE";
    List<String> ids = new ArrayList<>();
    long time = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, now.id());
      statement.setInt(2, Messages.code(place));
      statement.setLong(3, first);
      statement.setLong(4, last);
      statement.setLong(5, from.time());
      statement.setBytes(6, from.id() == null ? new byte[0] : from.id());
      statement.setInt(7, STEP);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          ids.add(Messages.text(found.getBytes(1)));
          time = found.getLong(2);
        }
      }
    }
    messages.delete(connection, now.id(), ids);
    byte[] id = ids.isEmpty() ? new byte[0] : Messages.bytes(ids.get(ids.size() - 1));
    return new Step(ids.size(), time, id);
  }
}
