package io.punctual.redis.client;

import static java.util.stream.Collectors.toUnmodifiableSet;

import io.lettuce.core.RedisURI;
import io.punctual.Durability;
import io.punctual.spi.StoreUrl;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The URL of a Redis deployment, with its options. The URL has one of these forms:
 *
 * <ul>
 *   <li>{@code redis://user:password@host:port/database}, {@code rediss://} for TLS: a server;
 *   <li>{@code redis-socket:///path}: a server, by its Unix socket;
 *   <li>{@code redis-sentinel://user:password@host:port,host:port/name}, {@code rediss-sentinel://}
 *       for TLS: the server that Sentinels name as the primary;
 *   <li>{@code redis-cluster://user:password@host:port,host:port}, {@code rediss-cluster://} for
 *       TLS: a Cluster, by some of its nodes.
 * </ul>
 *
 * <p>A part with a default can be left out. In user, password and name, each of the characters
 * {@code : @ / ? %} is written as a percent sign and two hexadecimal digits.
 */
public final class RedisUrl {
  private static final Pattern TIME =
      Pattern.compile("(?<number>\\d{1,9})(?<unit>ms|s|m|h)", Pattern.CASE_INSENSITIVE);

  private static final Map<String, Function<Long, Duration>> UNITS =
      Map.of(
          "ms", Duration::ofMillis,
          "s", Duration::ofSeconds,
          "m", Duration::ofMinutes,
          "h", Duration::ofHours);

  private final StoreUrl url;
  private final RedisScheme scheme;

  public RedisUrl(StoreUrl url) {
    this.url = url;
    this.scheme = RedisScheme.of(url.scheme());
  }

  /**
   * Copies the whole URL into the options.
   *
   * @throws IllegalArgumentException if the URL is wrong; the message names the wrong part, without
   *     secrets
   */
  public void applyTo(RedisOptions options) {
    url.requireKnownOptions(known());
    if (scheme.kind() == RedisScheme.Kind.CLUSTER) {
      options.cluster(uris());
    } else {
      options.uri(uri());
    }
    set("namespace", text -> text, options::namespace);
    set("durability", Durability::parse, options::durability);
    set("durabilityTimeout", text -> time("durabilityTimeout", text), options::durabilityTimeout);
    set("timeout", text -> time("timeout", text), options::commandTimeout);
    set("connectTimeout", text -> time("connectTimeout", text), options::connectTimeout);
    set("requestQueue", text -> number("requestQueue", text), options::requestQueue);
    set("allowEviction", text -> flag("allowEviction", text), options::allowEviction);
    set("partitions", text -> number("partitions", text), options::partitions);
    set("proxy", text -> flag("proxy", text), options::proxy);
    if (scheme.isTls()) {
      new TlsOptions(url).sslOptions().ifPresent(options::ssl);
    }
  }

  private Set<String> known() {
    Set<String> known =
        new TreeSet<>(
            List.of(
                "namespace",
                "durability",
                "durabilityTimeout",
                "timeout",
                "connectTimeout",
                "requestQueue",
                "allowEviction",
                "partitions"));
    if (scheme.isTls()) {
      known.add(RedisAddress.VERIFY);
      known.addAll(TlsOptions.NAMES);
    }
    switch (scheme.kind()) {
      case SOCKET -> known.add(RedisAddress.DATABASE);
      case SENTINEL -> {
        known.add(RedisAddress.DATABASE);
        known.add(RedisAddress.SENTINEL_USER);
        known.add(RedisAddress.SENTINEL_PASSWORD);
      }
      case SERVER -> known.add("proxy");
      case CLUSTER -> {}
    }
    return known;
  }

  private <T> void set(String option, Function<String, T> parse, Consumer<T> setter) {
    url.option(option).map(parse).ifPresent(setter);
  }

  /**
   * Returns the server, the primary behind Sentinels, or the first node of the Cluster, in the form
   * of the client library.
   */
  public RedisURI uri() {
    return uris().get(0);
  }

  private List<RedisURI> uris() {
    return new RedisAddress(url, scheme).uris();
  }

  public static Set<String> schemes() {
    return Stream.of(RedisScheme.values()).map(RedisScheme::text).collect(toUnmodifiableSet());
  }

  private static Duration time(String name, String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new IllegalArgumentException(
          name + " is a time such as 500ms, 5s or 1m, but was '" + text + "'");
    }
    Function<Long, Duration> unit = UNITS.get(time.group("unit").toLowerCase(Locale.ROOT));
    return unit == null ? Duration.ZERO : unit.apply(Long.parseLong(time.group("number")));
  }

  static int number(String name, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is a number, but was '" + text + "'", e);
    }
  }

  private static boolean flag(String name, String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException(name + " is true or false, but was '" + text + "'");
    }
    return text.equals("true");
  }

  /**
   * Returns the URL of a server, or of a primary behind Sentinels, without secrets, for messages to
   * people.
   */
  public static String describe(RedisURI uri) {
    return RedisAddress.describe(uri);
  }
}
