package io.punctual;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The store has executed a change, but the disk or the replicas that its {@link Durability}
 * requires did not confirm the change in time. The change is lost only if the store loses its
 * newest writes.
 */
public final class NotConfirmedException extends PunctualException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String id;

  /** Creates an exception; {@code id} names the message, or is null for a lock. */
  public NotConfirmedException(String message, @Nullable String id) {
    super(message);
    this.id = id;
  }

  /** Returns the id of the message, even if it was generated; empty for a lock. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }
}
