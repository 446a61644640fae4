package io.punctual.migration.copy;

import java.util.ArrayList;
import java.util.List;

/** The source has no queue of a name that the copy was asked for. Nothing was copied. */
public final class MissingQueueException extends CopyRefusedException {
  private static final long serialVersionUID = 1;

  private final String queue;
  private final ArrayList<String> existing;

  MissingQueueException(String message, String queue, List<String> existing) {
    super(message);
    this.queue = queue;
    this.existing = new ArrayList<>(existing);
  }

  /** Returns the name of the queue that does not exist. */
  public String queue() {
    return queue;
  }

  /** Returns the names of the queues of the source, in ascending order; unmodifiable. */
  public List<String> existing() {
    return existing.stream().sorted().toList();
  }
}
