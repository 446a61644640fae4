package io.punctual.jdbc.partition;

import java.sql.SQLException;

/** Thrown if a transaction of the application does not see the tables of the store. */
final class OtherTablesException extends SQLException {
  private static final long serialVersionUID = 1L;

  private OtherTablesException() {
    super("The transaction does not see the tables of this store");
  }

  static void check(boolean isMarked) throws OtherTablesException {
    if (!isMarked) {
      throw new OtherTablesException();
    }
  }
}
