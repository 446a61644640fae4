package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.spi.PauseNoteFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Reads and writes the {@link PauseNote}s of queues. Stateless, so safe for use by many threads.
 */
final class PauseNotes {
  private PauseNotes() {}

  static PauseNote read(Connection connection, QueueRow queue) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT note FROM punctual_pause WHERE queue_id = ?")) {
      statement.setLong(1, queue.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? PauseNoteFormat.decode(row.getString(1)) : PauseNote.NONE;
      }
    }
  }

  /** Replaces the note of a queue's pause. The transaction holds the lock of the queue. */
  static void write(Connection connection, QueueRow queue, PauseNote note) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("DELETE FROM punctual_pause WHERE queue_id = ?")) {
      statement.setLong(1, queue.id());
      statement.executeUpdate();
    }
    if (note.equals(PauseNote.NONE)) {
      return;
    }
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO punctual_pause (queue_id, note) VALUES (?, ?)")) {
      statement.setLong(1, queue.id());
      statement.setString(2, PauseNoteFormat.encode(note));
      statement.executeUpdate();
    }
  }
}
