package io.punctual.jdbc.sql;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a transaction.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface Work<T extends @Nullable Object> {
  /**
   * Executes the statements; the caller commits or rolls back. May only return null if {@code T} is
   * nullable.
   */
  @Nullable T run(Connection connection) throws SQLException;
}
