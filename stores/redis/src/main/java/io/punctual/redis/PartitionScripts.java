package io.punctual.redis;

import io.punctual.redis.client.request.Script;

/** The scripts of the store. The header of each Lua file documents the script. */
final class PartitionScripts {
  static final Script FOUND = script("shares", "types", "found");
  static final Script OPEN = script("types", "limits", "partition", "open");
  static final Script APPLY =
      script(
          "limits",
          "partition",
          "session",
          "waiting",
          "wake",
          "applyfast",
          "applyread",
          "applyrules",
          "applywrite",
          "apply");
  static final Script CLAIM =
      script("limits", "partition", "session", "waiting", "attend", "wake", "claim");
  static final Script PASS = script("limits", "partition", "waiting", "wake", "pass");
  static final Script FIND =
      script("limits", "partition", "waiting", "wake", "putback", "entries", "find");
  static final Script INSPECT =
      script("limits", "partition", "waiting", "wake", "putback", "inspect");
  static final Script BROWSE = script("limits", "partition", "entries", "paging", "browse");
  static final Script COUNTS = script("limits", "partition", "counts");
  static final Script FORECAST = script("limits", "partition", "forecast");
  static final Script PAUSE = script("limits", "partition", "waiting", "wake", "pause");
  static final Script LIMIT = script("limits", "partition", "shares", "waiting", "wake", "limit");
  static final Script SHARE = script("limits", "partition", "shares", "waiting", "wake", "share");
  static final Script PURGE = script("limits", "partition", "paging", "purge");
  static final Script REMOVE = script("limits", "partition", "remove");
  static final Script UNTIL_NEXT = script("clock", "limits", "waiting", "attend", "untilnext");
  static final Script ANNOUNCE = script("clock", "announce");
  static final Script ANNOUNCED = script("clock", "announced");
  static final Script RIGHTS = script("rights");

  private PartitionScripts() {}

  private static Script script(String... files) {
    return Script.of(PartitionScripts.class::getResourceAsStream, files);
  }
}
