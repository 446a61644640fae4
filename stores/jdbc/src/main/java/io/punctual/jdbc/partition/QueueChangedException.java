package io.punctual.jdbc.partition;

import org.jspecify.annotations.Nullable;

/** Thrown to end a transaction if the queue was deleted since the sessions were opened. */
final class QueueChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number of the new queue of the same name, or null if there is none. */
  final transient @Nullable Long present;

  QueueChangedException(@Nullable Long present) {
    super("The queue was deleted", null, false, false);
    this.present = present;
  }
}
