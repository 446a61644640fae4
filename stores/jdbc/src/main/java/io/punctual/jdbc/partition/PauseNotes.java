package io.punctual.jdbc.partition;

import io.punctual.PauseNote;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.spi.PauseNoteFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the {@link PauseNote}s of queues. Stateless, so safe for use by many threads.
 */
final class PauseNotes {
  private PauseNotes() {}

  static PauseNote read(Connection connection, Dialect dialect, QueueRow queue)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT note FROM punctual_pause WHERE queue_id = ?")) {
      statement.setLong(1, queue.id());
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? decode(dialect, row.getString(1)) : PauseNote.NONE;
      }
    }
  }

  static PauseNote decode(Dialect dialect, @Nullable String note) {
    return PauseNoteFormat.decode(note == null ? null : dialect.readText(note));
  }

  /** Replaces the note of a queue's pause. The transaction holds the lock of the queue. */
  static void write(Connection connection, Dialect dialect, QueueRow queue, PauseNote note)
      throws SQLException {
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
      statement.setString(2, dialect.storedText(PauseNoteFormat.encode(note)));
      statement.executeUpdate();
    }
  }
}
