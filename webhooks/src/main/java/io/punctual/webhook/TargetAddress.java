package io.punctual.webhook;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Reads the address of a target. Refuses every form that programs read differently: numbers in
 * other forms than four decimal ones, names that end in a number or in a dot, names that are not
 * ASCII, zones, and users.
 */
final class TargetAddress {
  private static final int LONGEST = 2000;
  private static final int LONGEST_NAME = 253;
  private static final Pattern PLAIN = Pattern.compile("[!-~&&[^\"<>\\\\^`{|}]]+");
  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,2}");
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern NUMERIC = Pattern.compile("[0-9]+|0x[0-9a-f]*");

  private TargetAddress() {}

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException if no target may have it; the message says why
   */
  static URI parse(String text, NetworkRules rules) {
    if (text.length() > LONGEST || !PLAIN.matcher(text).matches()) {
      throw refused(
          "has characters that an address can't have; write names in their ASCII form (xn--…)");
    }
    URI uri;
    try {
      uri = new URI(text).parseServerAuthority();
    } catch (URISyntaxException e) {
      throw refused("is no address of the form https://name/path");
    }
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    if (!scheme.equals("https") && !(scheme.equals("http") && rules.allowsHttp())) {
      throw refused("must begin with https://");
    }
    if (uri.getRawUserInfo() != null) {
      throw refused("must not have a user or a password");
    }
    if (uri.getRawFragment() != null) {
      throw refused("must not have a fragment (#)");
    }
    String host = uri.getHost();
    if (host == null) {
      throw refused("has no host name that all programs read alike");
    }
    if (!rules.allowsPort(port(uri))) {
      throw refused("has a port that is not allowed; 443 and 80 are");
    }
    checkHost(host.toLowerCase(Locale.ROOT), rules);
    return uri;
  }

  private static int port(URI uri) {
    return uri.getPort() != -1
        ? uri.getPort()
        : "http".equalsIgnoreCase(uri.getScheme()) ? 80 : 443;
  }

  private static void checkHost(String host, NetworkRules rules) {
    if (host.startsWith("[")) {
      if (host.indexOf('%') >= 0) {
        throw refused("must not have the zone of an address");
      }
      judge(host.substring(1, host.length() - 1), rules);
      return;
    }
    String[] labels = host.split("\\.", -1);
    if (NUMERIC.matcher(labels[labels.length - 1]).matches()) {
      if (labels.length != 4) {
        throw refused("has an address in a form that programs read differently");
      }
      for (String label : labels) {
        if (!NUMBER.matcher(label).matches()) {
          throw refused("has an address in a form that programs read differently");
        }
      }
      judge(host, rules);
      return;
    }
    boolean isName = host.length() <= LONGEST_NAME;
    for (String label : labels) {
      isName &= LABEL.matcher(label).matches();
    }
    if (!isName) {
      throw refused("has a host that is no name; leave out a dot at its end");
    }
    if (host.equals("localhost") || host.endsWith(".localhost")) {
      judge("127.0.0.1", rules);
    }
  }

  private static void judge(String literal, NetworkRules rules) {
    try {
      InetAddress address = InetAddress.getByName(literal);
      if (!rules.allows(address)) {
        throw refused("has an address that is not public: " + literal);
      }
    } catch (UnknownHostException e) {
      throw refused("has a host that is no address");
    }
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("'url' " + why);
  }
}
