package io.punctual.redis.client.connection;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads replies to INFO. */
public final class ServerInfo {
  private ServerInfo() {}

  /** Returns the value of a field in lower case, or "unknown" if the field is missing. */
  public static String field(String info, String name) {
    Matcher field = Pattern.compile("^" + name + ":(\\S*)", Pattern.MULTILINE).matcher(info);
    return field.find() ? field.group(1).toLowerCase(Locale.ROOT) : "unknown";
  }

  /**
   * Returns the program and its version. Valkey also reports the Redis version with which it is
   * compatible, so the version of Valkey comes first.
   */
  static String product(String serverInfo) {
    String valkey = field(serverInfo, "valkey_version");
    return valkey.equals("unknown")
        ? "Redis " + field(serverInfo, "redis_version")
        : "Valkey " + valkey;
  }
}
