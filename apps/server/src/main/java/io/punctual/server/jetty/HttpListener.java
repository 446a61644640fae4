package io.punctual.server.jetty;

import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import java.io.IOException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** Listens on a port, and serves HTTP/1.1. Safe for use by many threads. */
public final class HttpListener {
  private static final int HEAD_BYTES = 16 << 10;
  private static final int INPUT_BYTES = 8 << 10;
  private static final Duration QUIET = Duration.ofMillis(500);

  private final Server server;
  private final ServerConnector connector;
  private final ExchangeHandler handler;
  private final SslContextFactory.@Nullable Server tls;
  private final NetworkConnectionLimit connectionLimit;

  /**
   * Where and how to listen.
   *
   * @param host the name or address of the interface
   * @param port the port; 0 for any free one
   * @param tls the files for TLS, or null for plain HTTP
   * @param proxies the proxies whose headers are believed
   * @param connections how many connections may be open
   * @param idleTime after which a connection without traffic ends; longer than any poll
   * @param headTime how long a handshake, or the head of a request, may take
   * @param bytesPerSecond the least rate of bodies
   * @param bodyMemory the bytes that the bodies of all requests in flight may take, and those of
   *     the answers
   */
  public record Settings(
      String host,
      int port,
      @Nullable TlsFiles tls,
      TrustedProxies proxies,
      int connections,
      Duration idleTime,
      Duration headTime,
      long bytesPerSecond,
      long bodyMemory) {}

  private HttpListener(Settings settings, Function<RequestHead, Call> service) {
    QueuedThreadPool threads = new QueuedThreadPool(16, 4);
    threads.setName("punctual-http");
    server = new Server(threads);
    server.setErrorHandler(new ErrorAnswers());
    handler = new ExchangeHandler(service, settings.proxies, settings.bodyMemory);
    server.setHandler(handler);
    tls = settings.tls == null ? null : new SslContextFactory.Server();
    if (tls != null && settings.tls != null) {
      use(tls, settings.tls);
    }
    connector = new ServerConnector(server, 1, 1, protocols(tls));
    connector.setHost(settings.host);
    connector.setPort(settings.port);
    connector.setIdleTimeout(settings.idleTime.toMillis());
    connector.setAcceptQueueSize(4096);
    server.addConnector(connector);
    connectionLimit = new NetworkConnectionLimit(settings.connections, connector);
    server.addBean(connectionLimit);
    server.addBean(new SlowClients(connector, handler, settings.headTime, settings.bytesPerSecond));
  }

  /**
   * Starts to listen.
   *
   * @param service judges the head of each request, and answers it
   * @throws IOException if the port can't be bound
   * @throws IllegalArgumentException if a file for TLS can't be used
   */
  public static HttpListener start(Settings settings, Function<RequestHead, Call> service)
      throws IOException {
    HttpListener listener = new HttpListener(settings, service);
    try {
      listener.server.start();
      return listener;
    } catch (IOException | RuntimeException | Error e) {
      listener.stop();
      throw e;
    } catch (Exception e) {
      listener.stop();
      throw new IOException(e);
    }
  }

  private static ConnectionFactory[] protocols(SslContextFactory.@Nullable Server tls) {
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    configuration.setSendDateHeader(true);
    configuration.setRequestHeaderSize(HEAD_BYTES);
    configuration.setInputBufferSize(INPUT_BYTES);
    configuration.setHttpCompliance(HttpCompliance.RFC9110);
    // Ids may have any characters; the service decodes the segments itself.
    configuration.setUriCompliance(
        UriCompliance.DEFAULT.with(
            "segments",
            Violation.AMBIGUOUS_PATH_SEGMENT,
            Violation.AMBIGUOUS_EMPTY_SEGMENT,
            Violation.AMBIGUOUS_PATH_SEPARATOR,
            Violation.AMBIGUOUS_PATH_PARAMETER,
            Violation.AMBIGUOUS_PATH_ENCODING,
            Violation.SUSPICIOUS_PATH_CHARACTERS));
    List<ConnectionFactory> protocols = new ArrayList<>();
    if (tls != null) {
      // The service judges the Host header, so the name of the handshake need not match.
      configuration.addCustomizer(new SecureRequestCustomizer(false));
      protocols.add(new SslConnectionFactory(tls, "http/1.1"));
    }
    protocols.add(new HttpConnectionFactory(configuration));
    return protocols.toArray(ConnectionFactory[]::new);
  }

  private static void use(SslContextFactory.Server factory, TlsFiles files) {
    factory.setKeyStore(files.keyStore());
    factory.setKeyStorePassword(TlsFiles.PASSWORD);
    KeyStore authorities = files.trustStore();
    if (authorities != null) {
      factory.setTrustStore(authorities);
    }
    factory.setWantClientAuth(authorities != null);
  }

  /** Returns the port. */
  public int port() {
    return connector.getLocalPort();
  }

  /** Returns the number of requests that have no whole answer yet, polls included. */
  public int requestsInFlight() {
    return handler.inFlight().count();
  }

  /** Returns the number of open connections. */
  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  /** Sets how many connections may be open. */
  public void setConnections(int connections) {
    connectionLimit.setMaxNetworkConnectionCount(connections);
  }

  /**
   * Uses these files for new connections.
   *
   * @throws IllegalArgumentException if a file can't be used; nothing has changed then
   */
  public void reload(TlsFiles files) {
    if (tls == null) {
      throw new IllegalArgumentException("TLS can be switched on only by a restart");
    }
    files.check();
    try {
      tls.reload(factory -> use((SslContextFactory.Server) factory, files));
    } catch (Exception e) {
      throw new IllegalArgumentException("Can't use the files for TLS: " + e, e);
    }
  }

  /**
   * Takes no new connections, lets the requests in flight end, and waits for a moment for clients
   * that have kept their connections: the next answer of each tells it to close its connection.
   * Returns whether all requests had their answers in time.
   *
   * @param bound how long to wait for them
   */
  public boolean drain(Duration bound) throws InterruptedException {
    handler.drain();
    connector.close();
    return handler.inFlight().awaitQuiet(this::connections, QUIET, bound);
  }

  /** Ends all connections. */
  public void stop() {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("The listener does not end", e);
    }
  }
}
