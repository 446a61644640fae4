package io.punctual.httpstore;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.punctual.httpstore.service.Access;
import io.punctual.httpstore.service.Served;
import io.punctual.httpstore.service.StoreService;
import io.punctual.spi.Store;
import io.punctual.timer.WheelTimer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * A small server of the service, on the server of the JDK and a free port of the loopback
 * interface. The server that users run is tested with it in its own module.
 */
final class TestServer implements AutoCloseable {
  static {
    // Without it, each answer is delayed by 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private static final Duration PATIENCE = Duration.ofMillis(100);

  private final Store store;
  private final WheelTimer timer = WheelTimer.create();
  private final StoreService service;
  private final HttpServer http;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "test-server");
            thread.setDaemon(true);
            return thread;
          });
  private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
  private volatile Function<String, Access> callers = token -> Access.ALL;

  private TestServer(Store store, InstantSource clock, Duration patience, int port) {
    this.store = store;
    service = new StoreService(store, timer, clock, patience);
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.setExecutor(threads);
    http.createContext(StoreService.PATH, this::handle);
    http.start();
  }

  /** Starts a server of this store, which it closes at its end. */
  static TestServer of(Store store) {
    return new TestServer(store, InstantSource.system(), PATIENCE, 0);
  }

  /**
   * Starts a server of a store with this clock, which it closes at its end. A call waits long for
   * an earlier call of its session, because a test may send many at a time.
   */
  static TestServer of(Store store, InstantSource clock) {
    return new TestServer(store, clock, Duration.ofSeconds(2), 0);
  }

  /** Starts a server of this store on a port. */
  static TestServer of(Store store, int port) {
    return new TestServer(store, InstantSource.system(), PATIENCE, port);
  }

  int port() {
    return http.getAddress().getPort();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  StoreService service() {
    return service;
  }

  /** Sets which access the header {@code Authorization} gives; null for none. */
  void callers(Function<String, Access> callers) {
    this.callers = callers;
  }

  /** Returns the number of requests with this name so far. */
  long requests(String name) {
    return requests.getOrDefault(name, new LongAdder()).sum();
  }

  /** Returns the number of all requests so far. */
  long requests() {
    return requests.values().stream().mapToLong(LongAdder::sum).sum();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String name = exchange.getRequestURI().getPath().substring(StoreService.PATH.length());
      requests.computeIfAbsent(name, each -> new LongAdder()).increment();
      byte[] body = exchange.getRequestBody().readNBytes(StoreService.MAX_BODY + 1);
      String token = exchange.getRequestHeaders().getFirst("Authorization");
      Access access = callers.apply(token == null ? "" : token);
      send(exchange, access == null ? refused() : service.serve(name, body, access).join());
    }
  }

  private static Served refused() {
    return StoreService.refused(401, "the token is missing or unknown");
  }

  private static void send(HttpExchange exchange, Served served) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", served.type());
    CompletionStage<byte[]> rest = served.rest();
    exchange.sendResponseHeaders(served.status(), rest == null ? served.body().length : 0);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(served.body());
      if (rest != null) {
        out.flush();
        out.write(rest.toCompletableFuture().join());
      }
    }
  }

  /** Ends the connections at once, like a killed process, and then the store. */
  @Override
  public void close() {
    http.stop(0);
    service.close();
    threads.shutdownNow();
    store.close();
    timer.close();
  }
}
