package io.punctual.server.config;

import io.punctual.internal.client.ClientUrl;
import io.punctual.server.jetty.TlsFiles;
import io.punctual.server.jetty.TrustedProxies;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a server. Immutable.
 *
 * @param store the URL of the store
 * @param host the address of the interface to listen on
 * @param port the port; 0 for any free one
 * @param names further names of the server, which requests may have in {@code Host} beside the
 *     address
 * @param tls the files for TLS, or null
 * @param proxies the addresses and networks of the proxies whose headers are believed
 * @param behindProxy whether a proxy speaks TLS in front of the server
 * @param access who may do what
 * @param readOnly whether all changes are refused
 * @param limits the bounds
 * @param retries how often and when failed messages are delivered again
 * @param webhooks where due messages are sent
 */
public record ServerConfig(
    String store,
    String host,
    int port,
    List<String> names,
    @Nullable TlsFiles tls,
    List<String> proxies,
    boolean behindProxy,
    AccessConfig access,
    boolean readOnly,
    LimitsConfig limits,
    RetryConfig retries,
    WebhookConfig webhooks) {
  /** The store of a server for which none is configured. */
  public static final String DEFAULT_STORE = "journal:./punctual-data";

  /** The interface of a server for which none is configured. */
  public static final String DEFAULT_HOST = "127.0.0.1";

  /** The port of a server for which none is configured. */
  public static final int DEFAULT_PORT = 8420;

  /**
   * What the command line says, which goes before the file.
   *
   * @param file the configuration file, or null
   * @param store the URL of the store, or null
   * @param otherStore the URL of the store if neither the command line nor the file has one, or
   *     null
   * @param host the interface, or null
   * @param port the port, or null
   */
  public record Options(
      @Nullable Path file,
      @Nullable String store,
      @Nullable String otherStore,
      @Nullable String host,
      @Nullable Integer port) {}

  /**
   * Reads the configuration.
   *
   * @throws ConfigException if it can't be used; the message says where and why
   */
  public static ServerConfig read(Options options, Map<String, String> environment) {
    Section root = root(options, environment);
    ServerConfig config = of(root, options);
    root.end();
    config.check();
    return config;
  }

  static Section root(Options options, Map<String, String> environment) {
    Path file = options.file;
    return file == null
        ? Section.parse(Path.of("punctual.yaml"), "", environment)
        : Section.parse(file, PrivateFile.read(file), environment);
  }

  static ServerConfig of(Section root, Options options) {
    String store = or(options.store, or(root.text("store"), or(options.otherStore, DEFAULT_STORE)));
    String host = or(options.host, or(root.text("host"), DEFAULT_HOST));
    int port = Math.toIntExact(root.number("port", DEFAULT_PORT, 0, 65_535));
    List<String> proxies = root.texts("proxies");
    try {
      TrustedProxies unused = TrustedProxies.of(proxies);
    } catch (IllegalArgumentException e) {
      throw root.failure("proxies", "is wrong: " + e.getMessage());
    }
    return new ServerConfig(
        checkedStore(store),
        host,
        options.port == null ? port : options.port,
        root.texts("names"),
        tls(root),
        proxies,
        root.isOn("behindProxy"),
        AccessConfig.of(root),
        root.isOn("readOnly"),
        LimitsConfig.of(root.section("limits")),
        RetryConfig.of(root),
        WebhookConfig.of(root));
  }

  private static String checkedStore(String url) {
    try {
      ClientUrl unused = ClientUrl.parse(url);
      return url;
    } catch (IllegalArgumentException e) {
      throw new ConfigException("The URL of the store is wrong: " + e.getMessage());
    }
  }

  private static String or(@Nullable String first, String second) {
    return first == null ? second : first;
  }

  private static @Nullable TlsFiles tls(Section root) {
    Section tls = root.section("tls");
    Path certificate = tls.path("certificate");
    Path key = tls.path("key");
    Path authorities = tls.path("clientAuthorities");
    if (certificate == null && key == null && authorities == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw root.failure("tls", "needs 'certificate' and 'key'");
    }
    PrivateFile.check(key);
    return new TlsFiles(certificate, key, authorities);
  }

  /**
   * Returns what a reload makes of this configuration: the values of the next one, but for the keys
   * that need a restart.
   *
   * @throws ConfigException if these values can't be used together
   */
  public ServerConfig reloaded(ServerConfig next) {
    boolean keepsTls = (tls == null) != (next.tls == null);
    ServerConfig mixed =
        new ServerConfig(
            store,
            host,
            port,
            next.names,
            keepsTls ? tls : next.tls,
            proxies,
            next.behindProxy,
            next.access,
            next.readOnly,
            limits.reloaded(next.limits),
            next.retries,
            next.webhooks);
    mixed.check();
    return mixed;
  }

  /** Returns the keys in which the next configuration differs, and which need a restart. */
  public List<String> needRestart(ServerConfig next) {
    return ConfigKey.ALL.stream()
        .filter(key -> !key.isReloaded() && key.differs(this, next))
        .map(ConfigKey::name)
        .toList();
  }

  private void check() {
    if (!access.certificates().isEmpty() && (tls == null || tls.clientAuthorities() == null)) {
      throw new ConfigException("'certificates' need 'clientAuthorities' in 'tls'");
    }
    if (isLoopback()) {
      return;
    }
    if (access.isOpen()) {
      throw new ConfigException(
          "The server would serve everybody on "
              + host
              + ": configure 'tokens', 'issuers' or 'certificates', or listen on "
              + DEFAULT_HOST);
    }
    if (tls == null && !behindProxy) {
      throw new ConfigException(
          "Tokens would cross the network of "
              + host
              + " in the clear: configure 'tls', or 'behindProxy: true' if a proxy speaks TLS, or"
              + " listen on "
              + DEFAULT_HOST);
    }
  }

  private boolean isLoopback() {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new ConfigException("The host " + host + " has no address");
    }
  }
}
