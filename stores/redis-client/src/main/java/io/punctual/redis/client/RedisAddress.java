package io.punctual.redis.client;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The addresses of the servers in a URL, in the form of the client library. Immutable. */
final class RedisAddress {
  static final String DATABASE = "database";
  static final String VERIFY = "verifyPeer";
  static final String SENTINEL_USER = "sentinelUser";
  static final String SENTINEL_PASSWORD = "sentinelPassword";

  private static final String CREDENTIALS = "(?:(?:(?<user>[^:@/]*):)?(?<password>[^@/]*)@)?";
  private static final int SENTINEL_PORT = 26379;
  private static final int PORT = 6379;

  private static final Pattern LOCATION =
      Pattern.compile("//" + CREDENTIALS + "(?<hosts>[^/@]*)(?:/(?<path>[^/@]*))?");

  private static final Pattern SOCKET_LOCATION =
      Pattern.compile("(?://" + CREDENTIALS + ")?(?<path>/[^/?@][^?@]*)");

  private static final Pattern HOST =
      Pattern.compile("(?<host>\\[[0-9A-Fa-f:.]+]|[^:\\[\\]]*)(?::(?<port>\\d{1,5}))?");

  private static final Pattern NUMBER = Pattern.compile("\\d{0,9}");

  private final StoreUrl url;
  private final RedisScheme scheme;

  RedisAddress(StoreUrl url, RedisScheme scheme) {
    this.url = url;
    this.scheme = scheme;
  }

  /**
   * Returns the server, or the primary with its Sentinels, or the nodes of a Cluster to ask first.
   */
  List<RedisURI> uris() {
    return switch (scheme.kind()) {
      case SERVER -> List.of(server());
      case SOCKET -> List.of(socket());
      case SENTINEL -> List.of(sentinels());
      case CLUSTER -> nodes();
    };
  }

  private RedisURI server() {
    Matcher parts = parts("user:password@host:port/database, all optional");
    String path = Optional.ofNullable(parts.group("path")).orElse("");
    if (parts.group("hosts").contains(",") || !NUMBER.matcher(path).matches()) {
      throw wrong("user:password@host:port/database, all optional");
    }
    RedisURI.Builder uri = node(parts.group("hosts"), PORT);
    return finish(
        uri, parts, path.isEmpty() ? Optional.empty() : Optional.of(Integer.parseInt(path)));
  }

  private RedisURI socket() {
    Matcher parts = SOCKET_LOCATION.matcher(url.location());
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "A Redis socket's URL is redis-socket:///path or redis-socket://user:password@/path");
    }
    return finish(RedisURI.Builder.socket(parts.group("path")), parts, url.number(DATABASE));
  }

  private RedisURI sentinels() {
    String form = "user:password@sentinel:port,sentinel:port/name-of-the-primary";
    Matcher parts = parts(form);
    String name = parts.group("path");
    if (name == null || name.isEmpty()) {
      throw wrong(form);
    }
    RedisURI.Builder uri = secured(RedisURI.builder()).withSentinelMasterId(decode(name));
    hosts(parts).forEach(host -> uri.withSentinel(sentinel(host)));
    return finish(uri, parts, url.number(DATABASE));
  }

  private RedisURI sentinel(String host) {
    RedisURI.Builder uri = node(host, SENTINEL_PORT);
    Optional<String> user = url.option(SENTINEL_USER);
    Optional<String> password = url.option(SENTINEL_PASSWORD);
    if (user.isPresent() && password.isEmpty()) {
      throw new IllegalArgumentException(SENTINEL_USER + " needs a " + SENTINEL_PASSWORD);
    }
    password.ifPresent(secret -> uri.withAuthentication(credentials(user.orElse(null), secret)));
    return uri.build();
  }

  private List<RedisURI> nodes() {
    Matcher parts = parts("user:password@node:port,node:port");
    String path = Optional.ofNullable(parts.group("path")).orElse("");
    if (!path.isEmpty() && !path.equals("0")) {
      throw new IllegalArgumentException(
          "A Cluster has only database 0: leave out the path of the URL");
    }
    return hosts(parts).map(host -> finish(node(host, PORT), parts, Optional.empty())).toList();
  }

  private Matcher parts(String form) {
    Matcher parts = LOCATION.matcher(url.location().isEmpty() ? "//" : url.location());
    if (!parts.matches()) {
      throw wrong(form);
    }
    return parts;
  }

  private IllegalArgumentException wrong(String form) {
    return new IllegalArgumentException(
        "A "
            + url.scheme()
            + " URL is "
            + url.scheme()
            + "://"
            + form
            + ". In user, password and name, write : as %3A, @ as %40, / as %2F, ? as %3F and %"
            + " as %25");
  }

  private static Stream<String> hosts(Matcher parts) {
    return Stream.of(parts.group("hosts").split(",", -1));
  }

  private RedisURI.Builder node(String address, int usualPort) {
    Matcher parts = HOST.matcher(address);
    if (!parts.matches()) {
      throw wrong("… host:port, and one of the hosts is not of that form");
    }
    String host = parts.group("host");
    String port = parts.group("port");
    return secured(RedisURI.builder())
        .withHost(host.isEmpty() ? "localhost" : bare(host))
        .withPort(port == null ? usualPort : port(port));
  }

  private RedisURI.Builder secured(RedisURI.Builder uri) {
    return scheme.isTls()
        ? uri.withSsl(true).withVerifyPeer(verify(url.option(VERIFY).orElse("full")))
        : uri;
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static int port(String text) {
    int port = Integer.parseInt(text);
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("A port of the URL is not 1 to 65535");
    }
    return port;
  }

  private static RedisURI finish(RedisURI.Builder uri, Matcher parts, Optional<Integer> database) {
    String user = decoded(parts.group("user"));
    String password = decoded(parts.group("password"));
    if (password != null) {
      uri.withAuthentication(credentials(user == null || user.isEmpty() ? null : user, password));
    }
    database.ifPresent(uri::withDatabase);
    return uri.build();
  }

  /**
   * Returns credentials that are available at once, so that Lettuce continues the handshake on the
   * same thread.
   */
  private static RedisCredentialsProvider credentials(@Nullable String user, String password) {
    return new StaticCredentialsProvider(RedisCredentials.just(user, password.toCharArray()));
  }

  private static @Nullable String decoded(@Nullable String text) {
    return text == null ? null : decode(text);
  }

  private static String decode(String text) {
    return StoreUrl.decode(text);
  }

  private static SslVerifyMode verify(String text) {
    return Stream.of(SslVerifyMode.values())
        .filter(mode -> mode.name().equalsIgnoreCase(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException(VERIFY + " is full, ca or none, but was " + text));
  }

  /** Returns the URL of a server, or of a primary behind Sentinels, without secrets. */
  static String describe(RedisURI uri) {
    String socket = uri.getSocket();
    if (socket != null) {
      return RedisScheme.SOCKET.text() + "://" + socket;
    }
    RedisScheme scheme = uri.isSsl() ? RedisScheme.SERVER_TLS : RedisScheme.SERVER;
    String database = uri.getDatabase() == 0 ? "" : Integer.toString(uri.getDatabase());
    if (uri.getSentinels().isEmpty()) {
      return scheme.text() + "://" + hostAndPort(uri) + (database.isEmpty() ? "" : "/" + database);
    }
    scheme = uri.isSsl() ? RedisScheme.SENTINEL_TLS : RedisScheme.SENTINEL;
    return scheme.text()
        + "://"
        + joined(uri.getSentinels())
        + "/"
        + uri.getSentinelMasterId()
        + (database.isEmpty() ? "" : "?" + DATABASE + "=" + database);
  }

  /** Returns the URL of a Cluster that has these nodes, without secrets. */
  static String describe(List<RedisURI> nodes) {
    RedisScheme scheme = nodes.get(0).isSsl() ? RedisScheme.CLUSTER_TLS : RedisScheme.CLUSTER;
    return scheme.text() + "://" + joined(nodes);
  }

  private static String joined(List<RedisURI> servers) {
    return servers.stream().map(RedisAddress::hostAndPort).collect(Collectors.joining(","));
  }

  /** Returns the address of a server, without credentials. */
  static String hostAndPort(RedisURI uri) {
    String host = uri.getHost();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + uri.getPort();
  }
}
