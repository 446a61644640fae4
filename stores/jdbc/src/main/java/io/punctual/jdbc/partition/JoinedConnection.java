package io.punctual.jdbc.partition;

import java.sql.Connection;
import java.sql.SQLException;

/** A transaction of the application, as a call of the store uses it. */
public interface JoinedConnection {
  /** Returns the connection of the transaction. */
  Connection connection();

  /**
   * A statement of the store failed.
   *
   * @param isRolledBack whether the database has rolled the whole transaction back. If not, it may
   *     still refuse a commit
   */
  void failed(SQLException failure, boolean isRolledBack);
}
