package io.punctual;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stored, not confirmed: the change was done, but the copies that its {@link Durability} asks for
 * did not confirm it in time. It stands unless the store loses its newest writes.
 */
public final class NotConfirmedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String id;

  /** Creates one for the change of the message with this id, if it is about one message. */
  public NotConfirmedException(String message, @Nullable String id) {
    super(message);
    this.id = id;
  }

  /** Returns the id of the message in question, a made one too; empty for a queue-wide change. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }
}
