package io.punctual.jdbc.sql;

import java.sql.SQLException;

/**
 * A step that must run after other statements, as the resource of a {@code try} statement: if the
 * statements and the step fail, the caller receives the failure of the statements, and the failure
 * of the step is suppressed.
 */
@FunctionalInterface
interface CleanUp extends AutoCloseable {
  @Override
  void close() throws SQLException;
}
