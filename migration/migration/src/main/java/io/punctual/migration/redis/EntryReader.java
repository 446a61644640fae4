package io.punctual.migration.redis;

import java.util.List;

/** Reads ids and payloads of entries. Used by one thread. */
interface EntryReader {
  /** Returns a reading for each entry, in the same order. */
  List<Reading> read(List<RedisEntry> entries);
}
