package io.punctual.memory;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The queues that exist: they had a message, a pause or limits, and were not deleted since. An
 * empty queue that no client uses takes only the memory of its name. Safe for use by many threads.
 */
final class ExistingQueues {
  private final ConcurrentNavigableMap<String, MemoryQueue.Contents> byName =
      new ConcurrentSkipListMap<>();

  /**
   * The highest token of all partitions that became empty. A partition may be forgotten then, and
   * the tokens of its successor must be higher.
   */
  private final AtomicLong lastToken = new AtomicLong();

  /** The queue that {@link #tidy} looked at last. */
  private volatile String tidied = "";

  boolean has(String name) {
    return byName.containsKey(name);
  }

  List<String> names() {
    return List.copyOf(byName.keySet());
  }

  void add(String name, MemoryQueue.Contents contents) {
    byName.put(name, contents);
  }

  void remove(String name) {
    byName.remove(name);
  }

  void clear() {
    byName.clear();
  }

  long lastToken() {
    return lastToken.get();
  }

  void dropped(long itsLastToken) {
    if (itsLastToken > lastToken.get()) {
      lastToken.accumulateAndGet(itsLastToken, Math::max);
    }
  }

  /**
   * Removes some expired remembered ids of a further queue, which nobody may use any more. A call
   * with each look-up visits all queues in turn.
   */
  void tidy() {
    Map.Entry<String, MemoryQueue.Contents> next = byName.higherEntry(tidied);
    tidied = next == null ? "" : next.getKey();
    if (next != null) {
      next.getValue().forgetExpired();
    }
  }
}
