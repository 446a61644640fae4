package io.punctual;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a change never came: the change may have been done or not. Scheduling the same id
 * again is harmless while the message is pending; if it has run already, it runs again.
 */
public final class OutcomeUnknownException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String id;

  /** Creates one for the change of the message with this id, if it is about one message. */
  public OutcomeUnknownException(String message, @Nullable String id, @Nullable Throwable cause) {
    super(message, cause);
    this.id = id;
  }

  /** Returns the id of the message in question, a made one too; empty for a queue-wide change. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }
}
