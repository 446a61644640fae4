package io.punctual.redis;

import io.punctual.redis.client.Script;
import java.util.List;

/** The scripts of partitions. The header of each Lua file documents the script. */
final class PartitionScripts {
  static final Script FOUND = script("found");
  static final Script OPEN = script("partition", "open");
  static final Script APPLY =
      script("partition", "session", "waiting", "wake", "operations", "apply");
  static final Script CLAIM = script("partition", "session", "waiting", "attend", "wake", "claim");
  static final Script PASS = script("partition", "waiting", "wake", "pass");
  static final Script FIND = script("partition", "entries", "find");
  static final Script BROWSE = script("partition", "entries", "paging", "browse");
  static final Script COUNTS = script("partition", "counts");
  static final Script FORECAST = script("partition", "forecast");
  static final Script PAUSE = script("partition", "waiting", "wake", "pause");
  static final Script PURGE = script("partition", "paging", "purge");
  static final Script REMOVE = script("partition", "remove");
  static final Script UNTIL_NEXT = script("clock", "waiting", "attend", "untilnext");
  static final Script RIGHTS = script("rights");

  /** All scripts of the store, which connections load into the server ahead. */
  static final List<Script> ALL =
      List.of(
          FOUND,
          OPEN,
          APPLY,
          CLAIM,
          PASS,
          FIND,
          BROWSE,
          COUNTS,
          FORECAST,
          PAUSE,
          PURGE,
          REMOVE,
          UNTIL_NEXT,
          RIGHTS);

  private PartitionScripts() {}

  private static Script script(String... files) {
    return Script.of(PartitionScripts.class::getResourceAsStream, files);
  }
}
