package io.punctual.redis.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.punctual.Durability;
import io.punctual.spi.StoreUrl;
import java.net.URLDecoder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis store's URL: {@code redis://user:password@host:port/database?option=value}, {@code
 * rediss://} for TLS, {@code redis-socket:///path} for a Unix socket. Everything after the scheme
 * can be left out but the path of a socket. What user and password hold of {@code : @ / ? %} is
 * written as percent and two digits.
 */
public final class RedisUrl {
  private static final String TCP = "redis";
  private static final String TLS = "rediss";
  private static final String SOCKET = "redis-socket";

  /** The schemes of this store. */
  public static final List<String> SCHEMES = List.of(TCP, TLS, SOCKET);

  private static final String DATABASE = "database";
  private static final String VERIFY = "verifyPeer";

  private static final Pattern LOCATION =
      Pattern.compile(
          "//(?:(?:(?<user>[^:@/]*):)?(?<password>[^@/]*)@)?"
              + "(?<host>\\[[0-9A-Fa-f:.]+]|[^:/\\[\\]]*)(?::(?<port>\\d{1,5}))?"
              + "(?:/(?<database>\\d{0,9}))?");

  private static final Pattern SOCKET_LOCATION =
      Pattern.compile("(?://(?:(?:(?<user>[^:@/]*):)?(?<password>[^@/]*)@)?)?(?<path>/[^/?][^?]*)");

  private static final Pattern TIME =
      Pattern.compile("(?<number>\\d{1,9})(?<unit>ms|s|m|h)", Pattern.CASE_INSENSITIVE);

  private static final Map<String, Function<Long, Duration>> UNITS =
      Map.of(
          "ms", Duration::ofMillis,
          "s", Duration::ofSeconds,
          "m", Duration::ofMinutes,
          "h", Duration::ofHours);

  private final StoreUrl url;

  /** Creates one from its parts. */
  public RedisUrl(StoreUrl url) {
    this.url = url;
  }

  /**
   * Tells the options all that the URL says.
   *
   * @throws IllegalArgumentException if the URL is wrong; the message says where, without secrets
   */
  public void applyTo(RedisOptions options) {
    url.requireKnownOptions(known());
    options.uri(uri());
    set("namespace", text -> text, options::namespace);
    set("durability", Durability::parse, options::durability);
    set("durabilityTimeout", text -> time("durabilityTimeout", text), options::durabilityTimeout);
    set("timeout", text -> time("timeout", text), options::commandTimeout);
    set("connectTimeout", text -> time("connectTimeout", text), options::connectTimeout);
    set("requestQueue", text -> number("requestQueue", text), options::requestQueue);
    set("allowEviction", text -> flag("allowEviction", text), options::allowEviction);
    if (url.scheme().equals(TLS)) {
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
                "allowEviction"));
    switch (url.scheme()) {
      case TLS -> {
        known.add(VERIFY);
        known.addAll(TlsOptions.NAMES);
      }
      case SOCKET -> known.add(DATABASE);
      default -> {}
    }
    return known;
  }

  private <T> void set(String option, Function<String, T> parse, Consumer<T> setter) {
    url.option(option).map(parse).ifPresent(setter);
  }

  /** Returns the server as the client library names it. */
  public RedisURI uri() {
    return url.scheme().equals(SOCKET) ? socket() : address();
  }

  private RedisURI address() {
    Matcher parts = LOCATION.matcher(url.location().isEmpty() ? "//" : url.location());
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "A Redis URL is " + url.scheme() + "://user:password@host:port/database, all optional");
    }
    String host = parts.group("host");
    RedisURI.Builder uri = RedisURI.builder().withHost(host.isEmpty() ? "localhost" : bare(host));
    uri.withPort(parts.group("port") == null ? 6379 : port(parts.group("port")));
    if (url.scheme().equals(TLS)) {
      uri.withSsl(true).withVerifyPeer(verify(url.option(VERIFY).orElse("full")));
    }
    return finish(uri, parts, Optional.ofNullable(parts.group("database")));
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(String text) {
    int port = Integer.parseInt(text);
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("A port is 1 to 65535, but was " + text);
    }
    return port;
  }

  private RedisURI socket() {
    Matcher parts = SOCKET_LOCATION.matcher(url.location());
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "A Redis socket's URL is redis-socket:///path or redis-socket://user:password@/path");
    }
    return finish(RedisURI.Builder.socket(parts.group("path")), parts, url.option(DATABASE));
  }

  private static RedisURI finish(RedisURI.Builder uri, Matcher parts, Optional<String> database) {
    String user = decode(parts.group("user"));
    String password = decode(parts.group("password"));
    if (password != null && user != null && !user.isEmpty()) {
      uri.withAuthentication(user, password);
    } else if (password != null) {
      uri.withPassword(password.toCharArray());
    }
    database
        .filter(number -> !number.isEmpty())
        .ifPresent(text -> uri.withDatabase(number(DATABASE, text)));
    return uri.build();
  }

  private static @Nullable String decode(@Nullable String text) {
    return text == null ? null : URLDecoder.decode(text.replace("+", "%2B"), UTF_8);
  }

  private static SslVerifyMode verify(String text) {
    return Stream.of(SslVerifyMode.values())
        .filter(mode -> mode.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException(VERIFY + " is full, ca or none, but was " + text));
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

  private static int number(String name, String text) {
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

  /** Returns the URL of a server without secrets, for people to read. */
  public static String describe(RedisURI uri) {
    String socket = uri.getSocket();
    if (socket != null) {
      return SOCKET + "://" + socket;
    }
    String host = uri.getHost().contains(":") ? "[" + uri.getHost() + "]" : uri.getHost();
    return (uri.isSsl() ? TLS : TCP)
        + "://"
        + host
        + ":"
        + uri.getPort()
        + (uri.getDatabase() == 0 ? "" : "/" + uri.getDatabase());
  }
}
