package io.punctual.internal.log;

import java.util.regex.Pattern;

/**
 * Checks the part of a JDBC URL between the slashes, which can have a password. The drivers repeat
 * what they can't read in their exceptions and logs, so it is refused before. Stateless.
 */
public final class UrlHosts {
  private static final Pattern CREDENTIALS = Pattern.compile("(?i)@|[(,]\\s*(user|password)\\s*=");
  private static final Pattern SECOND_AT = Pattern.compile("@[^,]*@");

  /** The parts of hosts in which a colon is not in front of a port. */
  private static final Pattern NO_PORT = Pattern.compile("\\[[^\\]]*]|\\([^)]*\\)|[^,@]*@");

  /** As in {@code user:pass} of {@code user:pass/word@host}. */
  private static final Pattern WRONG_PORT = Pattern.compile(":(?!\\d*(?:,|$))");

  private UrlHosts() {}

  /**
   * Checks the hosts of a database.
   *
   * @param location the URL without jdbc: and without options
   * @throws IllegalArgumentException if the driver would not understand them
   */
  public static void check(String location) {
    int slashes = location.indexOf("//");
    String hosts = slashes < 0 ? "" : location.substring(slashes + 2).split("/", 2)[0];
    if (location.startsWith("mysql:")) {
      if (!isClosed(hosts) || SECOND_AT.matcher(hosts).find() || hasWrongPort(hosts)) {
        throw new IllegalArgumentException(
            "The hosts of a jdbc:mysql: URL can't be read: each port is a number, each parenthesis"
                + " is closed, and in a user or a password write @ as %40, / as %2F, ( as %28 and )"
                + " as %29");
      }
    } else if ((location.startsWith("postgresql:") || location.startsWith("mariadb:"))
        && (CREDENTIALS.matcher(hosts).find() || hasWrongPort(hosts))) {
      throw new IllegalArgumentException(
          "A URL of this database names its user in options, as in"
              + " jdbc:postgresql://host:5432/shop?user=shop&password=secret, not among the hosts,"
              + " where each port is a number");
    }
  }

  private static boolean hasWrongPort(String hosts) {
    return WRONG_PORT.matcher(NO_PORT.matcher(hosts).replaceAll("")).find();
  }

  private static boolean isClosed(String hosts) {
    return hosts.chars().filter(each -> each == '(').count()
        == hosts.chars().filter(each -> each == ')').count();
  }
}
