package io.punctual.migration;

import java.util.List;

/** An old delay queue with its live consumer. */
public interface OldQueue extends AutoCloseable {
  /** Returns the URL of the queue's server. */
  String url();

  void add(String id, long dueMillis) throws Exception;

  /** Gives an entry a later time. Returns false if the old library refuses. */
  default boolean postpone(String id, long dueMillis) throws Exception {
    return false;
  }

  /** Removes an entry. Returns false if the old library refuses. */
  default boolean remove(String id) throws Exception {
    return false;
  }

  /** Takes entries that are due, as the old consumer does, and returns their ids. */
  List<String> take() throws Exception;

  /**
   * Returns the number of entries, including the entries that an importer has taken and not
   * finished. Some layouts count an entry twice: its due time and its payload.
   */
  long size() throws Exception;

  /** Returns the number of entries that an importer has taken and not marked. */
  long staged() throws Exception;

  /** Returns the number of entries that an importer has marked and not removed. */
  long marked() throws Exception;

  @Override
  default void close() throws Exception {}
}
