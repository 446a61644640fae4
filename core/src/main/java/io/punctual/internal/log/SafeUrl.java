package io.punctual.internal.log;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The URLs of stores in the form in which logs and messages show them. Stateless. */
public final class SafeUrl {
  /** A property of a host in parentheses that is no secret. */
  private static final Pattern ADDRESS =
      Pattern.compile("(?i)(?<=[(,])\\s*(?:host|port)\\s*=[^,()=@]*");

  private SafeUrl() {}

  /**
   * Returns a URL without its options, users and passwords. In a JDBC URL, options follow a
   * question mark or a semicolon, and can also stand in parentheses in place of a host, as in
   * {@code jdbc:mysql://(host=db,port=3306,password=secret)/shop}.
   */
  public static String of(String url) {
    boolean isJdbc = url.regionMatches(true, 0, "jdbc:", 0, "jdbc:".length());
    return isJdbc
        ? withoutUser(withoutProperties(url).split("[?;]", 2)[0])
        : withoutUser(url.split("\\?", 2)[0]);
  }

  /** Keeps the addresses of all that is in parentheses, up to the last parenthesis. */
  private static String withoutProperties(String url) {
    int from = url.indexOf('(');
    int last = url.lastIndexOf(')');
    int to = last < from ? url.length() : last;
    if (from < 0 || url.substring(from, to).indexOf('=') < 0) {
      return url;
    }
    String addresses =
        ADDRESS
            .matcher(url.substring(from, to))
            .results()
            .map(address -> address.group().trim())
            .collect(Collectors.joining(","));
    return url.substring(0, from + 1) + addresses + url.substring(to);
  }

  private static String withoutUser(String url) {
    int at = url.lastIndexOf('@');
    int slashes = url.indexOf("//");
    boolean isPath = url.startsWith("jdbc:h2:") && slashes < 0;
    if (at < 0 || isPath) {
      return url;
    }
    int start = slashes >= 0 && slashes < at ? slashes + 2 : url.indexOf(':') + 1;
    return url.substring(0, start) + url.substring(at + 1);
  }
}
