package io.punctual.spi;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a store's URL: {@code scheme:location?option=value&option=value}. Immutable.
 *
 * @param scheme the part before the first colon, in lower case
 * @param location the part between the colon and the question mark, or the end, not decoded
 * @param options the decoded options, in no particular order
 */
public record StoreUrl(String scheme, String location, Map<String, String> options) {
  private static final Pattern TIME = Pattern.compile("(?i)(\\d{1,9})(ms|s|m|h)");

  /** The option of every store's URL that sets {@code PunctualBuilder.operationTimeout}. */
  public static final String OPERATION_TIMEOUT = "operationTimeout";

  /** The option of every store's URL that sets {@code PunctualBuilder.blockingTimeout}. */
  public static final String BLOCKING_TIMEOUT = "blockingTimeout";

  /** The options of the client, which reads and removes them before a store receives the URL. */
  public static final List<String> CLIENT_OPTIONS = List.of(BLOCKING_TIMEOUT, OPERATION_TIMEOUT);

  /**
   * Parses a URL.
   *
   * @throws IllegalArgumentException if the URL has no scheme, an option twice, an option without a
   *     name or an equals sign, an at sign after the question mark, or a percent sign without two
   *     hexadecimal digits in an option
   */
  public static StoreUrl parse(String url) {
    int colon = url.indexOf(':');
    if (colon < 1 || !url.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      throw new IllegalArgumentException(
          "A store's URL begins with a scheme, as in memory: or redis://localhost:6379");
    }
    int query = url.indexOf('?', colon);
    String location = url.substring(colon + 1, query < 0 ? url.length() : query);
    return new StoreUrl(
        url.substring(0, colon).toLowerCase(Locale.ROOT),
        location,
        query < 0 ? Map.of() : options(url.substring(query + 1)));
  }

  private static Map<String, String> options(String query) {
    if (query.indexOf('@') >= 0) {
      throw new IllegalArgumentException(
          "A store's URL has an '@' after its '?'. Write ? as %3F in a user, a password or a path,"
              + " and @ as %40 in an option");
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (String pair : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw new IllegalArgumentException(
            "Option "
                + (options.size() + 1)
                + " of a store's URL is not written name=value. If the ? before it belongs to a"
                + " password or a path, write %3F");
      }
      String name = decode(pair.substring(0, equals));
      if (options.put(name, decode(pair.substring(equals + 1))) != null) {
        throw new IllegalArgumentException(
            "The store's URL has the option '" + name + "' twice; remove one of them");
      }
    }
    return Map.copyOf(options);
  }

  /**
   * Decodes percent signs in a part of a URL. A plus stands for itself, because durabilities
   * contain it.
   *
   * @throws IllegalArgumentException if two hexadecimal digits do not follow a percent sign; the
   *     message does not show the part, which may be a password
   */
  public static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "A store's URL has a % without two hexadecimal digits after it; write % itself as %25");
    }
  }

  /** Returns the scheme only, because the other parts can have a password. */
  @Override
  public String toString() {
    return "StoreUrl[" + scheme + ":…]";
  }

  /** Returns the value of an option, or empty if the URL does not have the option. */
  public Optional<String> option(String name) {
    return Optional.ofNullable(options.get(name));
  }

  /**
   * Returns the value of an option that is a time such as {@code 500ms} or {@code 5s}, or empty if
   * the URL does not have the option.
   *
   * @throws IllegalArgumentException if the value is not a number with {@code ms}, {@code s},
   *     {@code m} or {@code h}
   */
  public Optional<Duration> time(String name) {
    return option(name).map(text -> time(name, text));
  }

  /**
   * Returns the value of an option that is a number, or empty if the URL does not have the option.
   *
   * @throws IllegalArgumentException if the value is not an {@code int}
   */
  public Optional<Integer> number(String name) {
    return option(name).map(text -> number(name, text));
  }

  private static int number(String name, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a number, but was '" + text + "'", e);
    }
  }

  /**
   * Returns the value of an option that is {@code true} or {@code false}, or empty if the URL does
   * not have the option.
   *
   * @throws IllegalArgumentException if the value is neither
   */
  public Optional<Boolean> flag(String name) {
    return option(name).map(text -> flag(name, text));
  }

  private static boolean flag(String name, String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              name + " must be true or false, but was '" + text + "'");
    };
  }

  private static Duration time(String name, String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new IllegalArgumentException(
          name
              + " must be a number with ms, s, m or h, such as 500ms or 5s, but was '"
              + text
              + "'");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2).toLowerCase(Locale.ROOT)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  /**
   * Checks that the URL has no options except these and {@link #CLIENT_OPTIONS}. The options of the
   * client have no effect where no client reads them, for example if a URL is used for locks.
   *
   * @throws IllegalArgumentException if the URL has a different option; the message names the known
   *     options
   */
  public void requireKnownOptions(Collection<String> known) {
    for (String name : options.keySet()) {
      if (!known.contains(name) && !CLIENT_OPTIONS.contains(name)) {
        throw new IllegalArgumentException(
            "The store '"
                + scheme
                + ":' has no option '"
                + name
                + "'; "
                + (known.isEmpty() ? "it has none" : "it has " + new TreeSet<>(known))
                + ", and every store's URL can have "
                + CLIENT_OPTIONS);
      }
    }
  }
}
