package io.punctual.jdbc.sql;

import java.sql.SQLException;

/**
 * Thrown if the transaction conflicts with a different transaction. {@link TransactionRunner} rolls
 * a transaction of the store back and repeats it.
 */
public final class ConflictException extends SQLException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message names the conflict. */
  public ConflictException(String message) {
    super(message, "40001");
  }
}
