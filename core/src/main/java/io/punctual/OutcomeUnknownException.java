package io.punctual;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The store did not answer the request for a change in time, or the caller was interrupted before
 * the answer, so the store may or may not have made the change. A second schedule with the same id
 * is harmless while the message is pending. If the message was processed already, it is processed
 * again, unless the store {@linkplain Message#rememberFor remembers} its id.
 */
public final class OutcomeUnknownException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String id;

  /**
   * Creates an exception; {@code id} names the message, or is null for a claim, or a change of a
   * whole queue or of several messages.
   */
  public OutcomeUnknownException(String message, @Nullable String id, @Nullable Throwable cause) {
    super(message, cause);
    this.id = id;
  }

  /**
   * Returns the id of the message, also a generated id; empty for a claim, or a change of a whole
   * queue or of several messages.
   */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }
}
