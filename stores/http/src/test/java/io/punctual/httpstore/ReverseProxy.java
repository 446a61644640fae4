package io.punctual.httpstore;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * A reverse proxy that spreads requests over servers, and does what a network or a proxy may do to
 * requests: it repeats them, delays them, so that they overtake each other, and loses their
 * answers. It answers a web page if a server is away. Thread-safe.
 */
final class ReverseProxy implements AutoCloseable {
  static {
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final List<Integer> targets;
  private final HttpServer http;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "reverse-proxy");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicInteger next = new AtomicInteger();
  private final Random random = new Random(7);
  private final LongAdder repeated = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private volatile int percentRepeated;
  private volatile int percentLost;
  private volatile int percentDelayed;

  private ReverseProxy(List<Integer> targets) {
    this.targets = targets;
    try {
      http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1000);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    http.setExecutor(threads);
    http.createContext("/", this::handle);
    http.start();
  }

  static ReverseProxy to(Integer... ports) {
    return new ReverseProxy(List.of(ports));
  }

  String url() {
    return "http://127.0.0.1:" + http.getAddress().getPort();
  }

  /** Sends this part of the requests twice, and passes the answer to either of the two. */
  void repeat(int percent) {
    percentRepeated = percent;
  }

  /** Ends the connection instead of passing this part of the answers. */
  void lose(int percent) {
    percentLost = percent;
  }

  /** Delays this part of the requests by up to 20 ms. */
  void delay(int percent) {
    percentDelayed = percent;
  }

  long repeated() {
    return repeated.sum();
  }

  long lost() {
    return lost.sum();
  }

  private boolean happens(int percent) {
    synchronized (random) {
      return random.nextInt(100) < percent;
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (happens(percentDelayed)) {
        synchronized (random) {
          LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(20)));
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      HttpResponse<byte[]> answer = forward(exchange, body);
      if (happens(percentRepeated)) {
        repeated.increment();
        HttpResponse<byte[]> second = forward(exchange, body);
        answer = happens(50) ? answer : second;
      }
      if (happens(percentLost)) {
        lost.increment();
        throw new IOException("lost");
      }
      answer
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
      send(exchange, answer.statusCode(), answer.body());
    }
  }

  private HttpResponse<byte[]> forward(HttpExchange exchange, byte[] body) throws IOException {
    int target = targets.get(Math.floorMod(next.getAndIncrement(), targets.size()));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + target + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException e) {
      exchange.getResponseHeaders().set("Content-Type", "text/html");
      send(exchange, 502, "<html>Bad Gateway</html>".getBytes(StandardCharsets.UTF_8));
      throw e;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
