package io.punctual.spring.boot.autoconfigure;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.TimedQueue;
import java.util.Optional;

/**
 * Finds queues for the endpoints by their exact names, without a list of all names, and without
 * creating them in the client.
 */
record QueueLookup(Punctual punctual) {
  /**
   * Returns a queue with its counts, or empty if the store has none, or nothing can be so named.
   */
  Optional<QueueInfo> find(String name) {
    try {
      // The shortest of the names that begin with this name comes first.
      return punctual.queues(QueueQuery.of(name).limit(1)).items().stream()
          .filter(queue -> queue.name().equals(name))
          .findFirst();
    } catch (IllegalArgumentException notAName) {
      return Optional.empty();
    }
  }

  boolean isPresent(String name) {
    return find(name).isPresent();
  }

  /** Opens a queue that is present. */
  TimedQueue<byte[]> open(String name) {
    return punctual.queue(name, Codec.bytes());
  }
}
