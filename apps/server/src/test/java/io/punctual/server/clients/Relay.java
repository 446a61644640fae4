package io.punctual.server.clients;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Stands between a client and a server; loses an answer of the server, refuses a request, or holds
 * requests.
 */
final class Relay implements AutoCloseable {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicReference<String> unanswered = new AtomicReference<>("");
  private final AtomicReference<String> refused = new AtomicReference<>("");
  private volatile int status = 429;
  private volatile String held = "";
  private volatile CountDownLatch letGo = new CountDownLatch(0);
  private final AtomicInteger holds = new AtomicInteger();
  private final List<String> answered = new CopyOnWriteArrayList<>();
  private volatile String answer = "";
  private final AtomicInteger lost = new AtomicInteger();
  private final URI target;
  private final HttpServer server;

  Relay(URI target) throws IOException {
    this.target = target;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::relay);
    server.start();
  }

  /** Lets the next request that contains a text be done, but closes its connection unanswered. */
  void loseAnswer(String text) {
    unanswered.set(text);
  }

  /** Lets the next request that contains a text get 429, and not to the server. */
  void refuse(String text) {
    answer(text, 429, "{'detail':'too many','type':'t','status':429}");
  }

  /** Answers the next request that contains a text, with JSON that has {@code '} for quotes. */
  void answer(String text, int status, String answer) {
    this.status = status;
    this.answer = answer.replace('\'', '"');
    refused.set(text);
  }

  /** Answers no request that contains a text, and does not let it to the server. */
  void hold(String text) {
    letGo = new CountDownLatch(1);
    held = text;
  }

  /** Ends the connections of the held requests, and holds none any more. */
  void letGo() {
    held = "";
    letGo.countDown();
  }

  /** Returns how many requests were held. */
  int holds() {
    return holds.get();
  }

  /** Returns the requests that the server has answered: path and body. */
  List<String> answered() {
    return answered;
  }

  boolean hasRefused() {
    return refused.get().isEmpty();
  }

  int lost() {
    return lost.get();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void relay(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String text = exchange.getRequestURI() + new String(body, StandardCharsets.UTF_8);
      if (!held.isEmpty() && text.contains(held)) {
        CountDownLatch end = letGo;
        holds.incrementAndGet();
        end.await();
        return;
      }
      if (isNext(refused, text)) {
        exchange.getResponseHeaders().add("Retry-After", "1");
        send(exchange, status, answer.getBytes(StandardCharsets.UTF_8));
        return;
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(target.resolve(exchange.getRequestURI()))
              .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body));
      for (String name : List.of("Content-Type", "Accept")) {
        exchange
            .getRequestHeaders()
            .getOrDefault(name, List.of())
            .forEach(v -> request.header(name, v));
      }
      HttpResponse<byte[]> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
      if (isNext(unanswered, text)) {
        lost.incrementAndGet();
        return;
      }
      answer
          .headers()
          .firstValue("Content-Type")
          .ifPresent(type -> exchange.getResponseHeaders().add("Content-Type", type));
      send(exchange, answer.statusCode(), answer.body());
      answered.add(text);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isNext(AtomicReference<String> next, String request) {
    String text = next.get();
    return !text.isEmpty() && request.contains(text) && next.compareAndSet(text, "");
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    letGo();
    server.stop(0);
    threads.shutdownNow();
  }
}
