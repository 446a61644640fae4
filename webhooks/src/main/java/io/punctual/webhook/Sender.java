package io.punctual.webhook;

import io.punctual.timer.DueTimer;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.ProtocolHandlers;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes calls. Follows no redirect, keeps no cookie, uses no proxy, and decodes no content. Each
 * target has connections of its own. Thread-safe.
 */
final class Sender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sender.class);

  /** Connections that are idle for less time than common servers keep them. */
  private static final Duration IDLE = Duration.ofSeconds(4);

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final int MOST_CONNECTIONS = 2_000;
  private static final int MOST_LOOK_UPS = 256;
  private static final int MOST_HEAD = 16 << 10;
  private static final Set<String> UNUSED_HANDLERS =
      Set.of("redirect", "www-authenticate", "proxy-authenticate", "upgrade");

  private final JudgedResolver judge;
  private final ThreadPoolExecutor lookUps;
  private final DueTimer timer;
  private final InstantSource clock;
  private @Nullable HttpClient client;
  private boolean isClosed;

  /**
   * A call.
   *
   * @param target the name of the target
   * @param url the address
   * @param headers the headers
   * @param body the body
   * @param timeout how long the call may take
   */
  record Order(
      String target, URI url, Map<String, String> headers, byte[] body, Duration timeout) {}

  Sender(DueTimer timer, InstantSource clock, HostResolver resolver, Supplier<NetworkRules> rules) {
    this.timer = timer;
    this.clock = clock;
    lookUps =
        new ThreadPoolExecutor(
            0,
            MOST_LOOK_UPS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            work -> {
              Thread thread = new Thread(work, "punctual-webhook-look-up");
              thread.setDaemon(true);
              return thread;
            });
    judge = new JudgedResolver(resolver, rules, lookUps);
  }

  /** Returns the client, which starts with the first call: most servers have no webhooks. */
  private synchronized HttpClient client() {
    HttpClient known = client;
    if (known != null) {
      return known;
    }
    if (isClosed) {
      throw new IllegalStateException("Webhooks have ended");
    }
    HttpClient started = start();
    client = started;
    return started;
  }

  private HttpClient start() {
    QueuedThreadPool threads = new QueuedThreadPool(16, 2);
    threads.setName("punctual-webhook");
    threads.setDaemon(true);
    HttpClientTransportOverHTTP transport = new HttpClientTransportOverHTTP(1);
    transport.setHeaderCacheSize(0); // Its cache takes 25 KB for each connection.
    HttpClient started = new HttpClient(transport);
    started.setExecutor(threads);
    started.setSocketAddressResolver(judge);
    started.setFollowRedirects(false);
    started.setHttpCookieStore(new HttpCookieStore.Empty());
    started.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "Punctual-Webhooks"));
    started.setMaxConnectionsPerDestination(MOST_CONNECTIONS);
    started.setMaxRequestsQueuedPerDestination(MOST_CONNECTIONS);
    started.setConnectTimeout(CONNECT.toMillis());
    started.setIdleTimeout(IDLE.toMillis());
    started.setDestinationIdleTimeout(Duration.ofMinutes(1).toMillis());
    started.setMaxResponseHeadersSize(MOST_HEAD);
    try {
      started.start();
    } catch (Exception e) {
      throw new IllegalStateException("The HTTP client of webhooks does not start", e);
    }
    started.getContentDecoderFactories().clear();
    ProtocolHandlers handlers = started.getProtocolHandlers();
    UNUSED_HANDLERS.forEach(handlers::remove);
    return started;
  }

  /** Makes a call. The result never fails, unless the caller cancels it, which ends the call. */
  CompletableFuture<Answered> send(Order order) {
    HttpClient http;
    Request request;
    try {
      http = client();
      request =
          http.newRequest(order.url)
              .method(HttpMethod.POST)
              .tag(order.target)
              .idleTimeout(0, TimeUnit.MILLISECONDS) // The time-out of the call ends it.
              .body(new BytesRequestContent(order.body));
      request.headers(fields -> order.headers.forEach(fields::put));
    } catch (RuntimeException e) {
      return CompletableFuture.completedFuture(
          new Answered(0, 0, "The call can't be made: " + e.getMessage(), false, Optional.empty()));
    }
    Exchange exchange = new Exchange(request, http.getExecutor(), timer, clock, order.timeout);
    exchange.start();
    return exchange.result();
  }

  @Override
  public void close() {
    HttpClient ending;
    synchronized (this) {
      isClosed = true;
      ending = client;
    }
    try {
      if (ending != null) {
        ending.stop();
      }
    } catch (Exception e) {
      LOG.warn("The HTTP client of webhooks did not end well: {}", e.toString());
    }
    lookUps.shutdownNow();
  }
}
