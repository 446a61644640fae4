package io.punctual.journal.partition;

import io.punctual.journal.log.Segments;
import java.util.HashMap;
import java.util.Map;

/**
 * The numbers of deleted queues that older segments may still name. Each new segment repeats the
 * deletion, until compaction has removed the last segment from before the deletion. For the
 * journal's thread alone.
 */
final class DeletedQueues {
  private final Segments segments;

  /** The number of the segment that first records the deletion, by the queue's number. */
  private final Map<Integer, Integer> deletedIn = new HashMap<>();

  DeletedQueues(Segments segments) {
    this.segments = segments;
  }

  boolean contains(int queue) {
    return deletedIn.containsKey(queue);
  }

  /**
   * Adds a deleted queue. {@code segment} is the number of the segment that records the deletion.
   */
  void add(int queue, int segment) {
    deletedIn.putIfAbsent(queue, segment);
  }

  /** Removes a queue that exists again. Returns whether the queue was deleted. */
  boolean remove(int queue) {
    return deletedIn.remove(queue) != null;
  }

  /**
   * Returns whether a queue was deleted, and no segment can have a record from before the deletion.
   */
  boolean isForgettable(int queue) {
    Integer segment = deletedIn.get(queue);
    return segment != null
        && segments.inOrder().stream().noneMatch(each -> each.header().first() <= segment);
  }
}
