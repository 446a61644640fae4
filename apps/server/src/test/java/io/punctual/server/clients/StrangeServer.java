package io.punctual.server.clients;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What stands before a server of Punctual, or in its place. Each answer has a status (0 ends the
 * connection), a {@code Retry-After} or {@code -}, and a body with {@code '} for quotes.
 */
final class StrangeServer implements AutoCloseable {
  private final HttpServer server;
  private final Deque<String> answers;
  private final List<String> requests = new ArrayList<>();

  StrangeServer(String... answers) throws IOException {
    this.answers = new ArrayDeque<>(List.of(answers));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
    String[] parts = answers.removeFirst().split(" ", 3);
    int status = Integer.parseInt(parts[0]);
    if (status > 0) {
      if (!parts[1].equals("-")) {
        exchange.getResponseHeaders().add("Retry-After", parts[1]);
      }
      exchange.getResponseHeaders().add("Location", "/elsewhere");
      byte[] text = parts[2].replace('\'', '"').getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, text.length);
      exchange.getResponseBody().write(text);
    }
    exchange.close();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Returns the requests so far: method, path and body. */
  synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
