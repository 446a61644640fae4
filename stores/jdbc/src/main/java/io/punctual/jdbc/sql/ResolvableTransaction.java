package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that must take effect exactly once, although the reply to its commit can be lost.
 * For a single thread at a time.
 *
 * @param <T> the type of the result
 */
public interface ResolvableTransaction<T> {
  /** Executes the statements of the change; the caller commits. */
  T make(Connection connection) throws SQLException;

  /**
   * Finds out whether the last {@link #make} was committed, after the reply to the commit was lost.
   * Waits for a commit that is still undecided.
   *
   * @return the result of the committed transaction, or null if it was rolled back
   */
  @Nullable T resolve(Connection connection) throws SQLException;
}
