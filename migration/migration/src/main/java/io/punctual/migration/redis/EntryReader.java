package io.punctual.migration.redis;

import java.util.List;

/** Reads ids and payloads of entries. Not thread-safe. */
interface EntryReader {
  /** Returns a reading for each entry, in the same order. */
  List<Reading> read(List<RedisEntry> entries);
}
