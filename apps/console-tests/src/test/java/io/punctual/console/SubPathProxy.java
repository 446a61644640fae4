package io.punctual.console;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A reverse proxy that shows a server below a path, and passes events on as they come. */
final class SubPathProxy implements AutoCloseable {
  private static final Set<String> OF_THE_CONNECTION = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

  static {
    OF_THE_CONNECTION.addAll(
        Set.of(
            "connection",
            "host",
            "content-length",
            "transfer-encoding",
            "upgrade",
            "http2-settings",
            "keep-alive",
            ":status"));
  }

  private final String path;
  private final URI target;
  private final HttpServer http;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private SubPathProxy(String path, URI target, HttpServer http) {
    this.path = path;
    this.target = target;
    this.http = http;
  }

  static SubPathProxy start(String path, URI target) {
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
      SubPathProxy proxy = new SubPathProxy(path, target, http);
      http.setExecutor(proxy.threads);
      http.createContext(path + "/", proxy::handle);
      http.start();
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + path);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String rest = exchange.getRequestURI().toString().substring(path.length());
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(target + rest))
              .method(
                  exchange.getRequestMethod(),
                  HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
      exchange
          .getRequestHeaders()
          .forEach(
              (name, values) -> {
                if (!OF_THE_CONNECTION.contains(name)) {
                  values.forEach(value -> request.header(name, value));
                }
              });
      HttpResponse<InputStream> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      answer
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!OF_THE_CONNECTION.contains(name)) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      boolean isEmpty = answer.statusCode() == 204 || answer.statusCode() == 304;
      exchange.sendResponseHeaders(answer.statusCode(), isEmpty ? -1 : 0);
      pass(answer.body(), exchange.getResponseBody());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pass(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[8192];
    try (in) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
        out.flush();
      }
    }
  }

  @Override
  public void close() {
    http.stop(0);
    threads.shutdownNow();
  }
}
