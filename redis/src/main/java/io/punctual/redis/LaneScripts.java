package io.punctual.redis;

import io.punctual.redis.client.Script;
import java.util.List;

/** The scripts of lanes: what each does stands at the top of its file. */
final class LaneScripts {
  static final Script FOUND = script("found");
  static final Script OPEN = script("lane", "open");
  static final Script APPLY = script("lane", "session", "waiting", "wake", "operations", "apply");
  static final Script CLAIM = script("lane", "session", "waiting", "attend", "wake", "claim");
  static final Script PASS = script("lane", "waiting", "wake", "pass");
  static final Script FIND = script("lane", "entries", "find");
  static final Script BROWSE = script("lane", "entries", "paging", "browse");
  static final Script COUNTS = script("lane", "counts");
  static final Script FORECAST = script("lane", "forecast");
  static final Script PAUSE = script("lane", "waiting", "wake", "pause");
  static final Script PURGE = script("lane", "paging", "purge");
  static final Script UNTIL_NEXT = script("clock", "waiting", "attend", "untilnext");
  static final Script RIGHTS = script("rights");

  /** All of them. */
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
          UNTIL_NEXT,
          RIGHTS);

  private LaneScripts() {}

  private static Script script(String... files) {
    return Script.of(LaneScripts.class, files);
  }
}
