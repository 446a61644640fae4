package io.punctual.jdbc.partition;

import org.jspecify.annotations.Nullable;

/** Ends a transaction, because the queue was deleted since the sessions were opened. */
final class QueueChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The number of the present queue, or null if there is none. */
  final transient @Nullable Long present;

  QueueChangedException(@Nullable Long present) {
    super("The queue was deleted", null, false, false);
    this.present = present;
  }
}
