package io.punctual.jdbc.partition;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Gives the store the connection of an application's transaction, and receives the failures of the
 * store's statements.
 */
public interface JoinedConnection {
  Connection connection();

  /**
   * Called after a failed statement of the store.
   *
   * @param isRolledBack whether the database has rolled back the whole transaction; if not, the
   *     database may still refuse to commit
   */
  void failed(SQLException failure, boolean isRolledBack);
}
