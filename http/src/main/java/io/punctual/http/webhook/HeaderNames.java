package io.punctual.http.webhook;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Decides which headers of messages a target may have as HTTP headers. */
final class HeaderNames {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");

  /** What belongs to the connection, to the request itself, or to credentials. */
  private static final Set<String> REFUSED =
      Set.of(
          "authorization",
          "connection",
          "content-encoding",
          "content-length",
          "cookie",
          "date",
          "expect",
          "forwarded",
          "host",
          "http2-settings",
          "keep-alive",
          "proxy-authenticate",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent",
          "via");

  private HeaderNames() {}

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if no target may have this header
   */
  static void check(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!TOKEN.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'headers' has a name that is no name of an HTTP header; use letters, digits and dashes");
    }
    if (REFUSED.contains(lower)
        || lower.startsWith("webhook-")
        || lower.startsWith("x-forwarded")) {
      throw new IllegalArgumentException(
          "'headers' must not have "
              + name
              + ", which belongs to the connection, to credentials or to the signature");
    }
  }
}
