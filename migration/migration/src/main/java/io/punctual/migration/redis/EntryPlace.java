package io.punctual.migration.redis;

import io.punctual.migration.internal.RedisStaging;
import java.util.List;

/** A key with entries of the old queue. Not thread-safe. */
interface EntryPlace {
  /** Returns whether the place has entries of this {@linkplain RedisEntry#kind kind}. */
  boolean has(byte kind);

  /** Reads entries, and changes nothing. */
  List<RedisEntry> survey(long offset, int max);

  /**
   * Moves entries to the staging.
   *
   * @param dueMillis the due time of each entry, in the same order
   * @return the entries that were moved; an entry that has changed in the meantime is left out
   */
  List<RedisStaging.Scored> stage(List<RedisEntry> entries, List<Long> dueMillis);

  /**
   * Moves staged entries back.
   *
   * @param tokens the staged entries
   */
  void putBack(List<byte[]> tokens);

  /** Returns the key as text, for logs and exceptions. */
  String describe();
}
