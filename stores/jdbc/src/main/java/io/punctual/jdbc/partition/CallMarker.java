package io.punctual.jdbc.partition;

import io.punctual.jdbc.sql.CallMarkers;
import io.punctual.jdbc.sql.ConflictException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The marker row of a call, by which the call finds out whether its commit took effect. For a
 * single thread at a time.
 */
final class CallMarker {
  private final CallMarkers markers;
  private CallMarkers.@Nullable Marker marker;

  CallMarker(CallMarkers markers) {
    this.markers = markers;
  }

  /** Inserts the row in the transaction of the call; replaces the row of an earlier try. */
  void insert(Connection connection) throws SQLException {
    end();
    CallMarkers.Marker begun = markers.open();
    marker = begun;
    if (!markers.insert(connection, begun)) {
      markers.renew();
      throw new ConflictException("A copy of this process has made the call");
    }
  }

  /**
   * Returns whether the transaction that inserted the row was rolled back. If it is still open,
   * waits for its end.
   */
  boolean wasRolledBack(Connection connection) throws SQLException {
    if (marker == null || !markers.insert(connection, marker)) {
      return false;
    }
    connection.rollback();
    return true;
  }

  /** Lets the row be deleted, because the result of the call is known. */
  void end() {
    if (marker != null) {
      markers.decided(marker);
      marker = null;
    }
  }
}
