package io.punctual.jdbc;

import java.util.regex.Pattern;

/**
 * Checks the part of a URL between the slashes, which can have a password. The drivers repeat what
 * they can't read in their exceptions, so the store refuses it before. Stateless.
 */
final class UrlHosts {
  private static final Pattern CREDENTIALS = Pattern.compile("(?i)@|[(,]\\s*(user|password)\\s*=");
  private static final Pattern SECOND_AT = Pattern.compile("@[^,]*@");

  private UrlHosts() {}

  /**
   * Checks the hosts of a database.
   *
   * @param location the URL without jdbc: and without options
   * @throws IllegalArgumentException if the driver would not understand them
   */
  static void check(String location) {
    int slashes = location.indexOf("//");
    String hosts = slashes < 0 ? "" : location.substring(slashes + 2).split("/", 2)[0];
    if (location.startsWith("mysql:")) {
      if (!isClosed(hosts) || SECOND_AT.matcher(hosts).find()) {
        throw new IllegalArgumentException(
            "The hosts of a jdbc:mysql: URL can't be read: close each parenthesis, and in a user or"
                + " a password write @ as %40, / as %2F, ( as %28 and ) as %29");
      }
    } else if ((location.startsWith("postgresql:") || location.startsWith("mariadb:"))
        && CREDENTIALS.matcher(hosts).find()) {
      throw new IllegalArgumentException(
          "A URL of this database names its user in options, as in"
              + " jdbc:postgresql://host/shop?user=shop&password=secret, not among the hosts");
    }
  }

  private static boolean isClosed(String hosts) {
    return hosts.chars().filter(each -> each == '(').count()
        == hosts.chars().filter(each -> each == ')').count();
  }
}
