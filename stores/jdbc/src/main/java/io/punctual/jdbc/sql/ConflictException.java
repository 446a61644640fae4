package io.punctual.jdbc.sql;

import java.sql.SQLException;

/** A different transaction came first: the transaction is rolled back and repeated. */
public final class ConflictException extends SQLException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the conflict. */
  public ConflictException(String message) {
    super(message, "40001");
  }
}
