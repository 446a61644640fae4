package io.punctual.server;

import static org.awaitility.Awaitility.await;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Programs that schedule, claim and acknowledge messages over kept connections, as fast as they
 * can, and that connect again when the server is gone.
 */
final class LoadClient implements AutoCloseable {
  private static final Pattern DELIVERY =
      Pattern.compile(
          "\"id\":\"(m-[^\"]+)\"[^{}]*?\"token\":(\"[^\"]+\")[^{}]*?\"dueAt\":\"([^\"]+)\""
              + "[^{}]*?\"leasedUntil\":\"([^\"]+)\"");

  private static final Pattern DONE = Pattern.compile("\"id\":\"(m-[^\"]+)\",\"outcome\":\"DONE\"");

  /** A client that was quiet for so long looks first whether its connection is still there. */
  private static final long QUIET_NANOS = 50_000_000;

  final Set<String> confirmed = ConcurrentHashMap.newKeySet();
  final Set<String> delivered = ConcurrentHashMap.newKeySet();
  final Set<String> early = ConcurrentHashMap.newKeySet();

  /** The messages that came again while a lease of them ran, or after their end was confirmed. */
  final Set<String> duplicates = ConcurrentHashMap.newKeySet();

  private final Map<String, Instant> leasedUntil = new ConcurrentHashMap<>();

  /** How many requests were sent on a connection that had served others, and have no answer. */
  final AtomicInteger unanswered = new AtomicInteger();

  final AtomicInteger refused = new AtomicInteger();
  final AtomicInteger strange = new AtomicInteger();

  private final int port;
  private final List<Thread> threads;
  private final AtomicInteger number = new AtomicInteger();
  private volatile boolean over;
  private volatile boolean producing = true;

  LoadClient(int port, int producers, int pollers) {
    this.port = port;
    threads = new java.util.ArrayList<>();
    for (int i = 0; i < producers; i++) {
      threads.add(new Thread(() -> run(this::schedule, () -> producing)));
    }
    for (int i = 0; i < pollers; i++) {
      threads.add(new Thread(() -> run(this::consume, () -> true)));
    }
    threads.forEach(Thread::start);
  }

  private interface Step {
    RawClient.Reply send(Connection connection) throws IOException;
  }

  /** A connection, and how many answers it has brought. */
  private static final class Connection {
    final RawClient client;
    int answers;
    long lastNanos = System.nanoTime();

    Connection(RawClient client) {
      this.client = client;
    }

    /** Like every client that keeps connections. */
    boolean isStale() throws IOException {
      return System.nanoTime() - lastNanos > QUIET_NANOS && client.hasEnded();
    }

    RawClient.Reply post(String path, String body) throws IOException {
      RawClient.Reply reply =
          client.request("POST " + path + " HTTP/1.1\nContent-Type: application/json", body);
      answers++;
      lastNanos = System.nanoTime();
      return reply;
    }
  }

  private void run(Step step, BooleanSupplier goesOn) {
    @Nullable Connection connection = null;
    while (!over && goesOn.getAsBoolean()) {
      try {
        if (connection == null || connection.isStale()) {
          connection = new Connection(RawClient.connect(port));
        }
        RawClient.Reply reply = step.send(connection);
        if (reply.has("Connection: close")) {
          connection.client.close();
          connection = null;
        }
      } catch (ConnectException e) {
        refused.incrementAndGet();
        awaitReady();
      } catch (EOFException | SocketException e) {
        if (connection != null && connection.answers > 0 && !over) {
          unanswered.incrementAndGet();
        }
        connection = null;
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Waits for the next server. */
  private void awaitReady() {
    await().forever().pollInterval(Duration.ofMillis(20)).until(() -> over || isReady());
  }

  private boolean isReady() {
    try (RawClient client = RawClient.connect(port)) {
      return client.request("GET /readyz HTTP/1.1", "").status() == 200;
    } catch (IOException e) {
      return false;
    }
  }

  private RawClient.Reply schedule(Connection connection) throws IOException {
    String id = "m-" + number.incrementAndGet();
    RawClient.Reply reply =
        connection.post(
            "/v1/queues/load/messages",
            "{\"id\":\"" + id + "\",\"payload\":1,\"delay\":\"PT0.05S\"}");
    if (reply.status() == 201) {
      confirmed.add(id);
    } else if (reply.status() != 503 && reply.status() != 504) {
      strange.incrementAndGet();
    }
    return reply;
  }

  private RawClient.Reply consume(Connection connection) throws IOException {
    RawClient.Reply reply =
        connection.post(
            "/v1/queues/load/claims", "{\"max\":100,\"lease\":\"5s\",\"wait\":\"20s\"}");
    if (reply.status() != 200) {
      awaitReady();
      return reply;
    }
    StringBuilder settlements = new StringBuilder();
    Matcher delivery = DELIVERY.matcher(reply.text());
    while (delivery.find()) {
      if (Instant.parse(delivery.group(3)).isAfter(Instant.now().plusMillis(1))) {
        early.add(delivery.group(1));
      }
      delivered(delivery.group(1), Instant.parse(delivery.group(4)));
      settlements
          .append(settlements.length() == 0 ? "[" : ",")
          .append("{\"id\":\"")
          .append(delivery.group(1))
          .append("\",\"token\":")
          .append(delivery.group(2))
          .append(",\"action\":\"ack\"}");
    }
    if (settlements.length() == 0 || reply.has("Connection: close")) {
      return reply;
    }
    RawClient.Reply settled =
        connection.post("/v1/queues/load/settlements", settlements.append(']').toString());
    DONE.matcher(settled.text())
        .results()
        .forEach(done -> leasedUntil.put(done.group(1), Instant.MAX));
    return settled;
  }

  private void delivered(String id, Instant until) {
    delivered.add(id);
    Instant before = leasedUntil.get(id);
    if (before != null && Instant.now().isBefore(before)) {
      duplicates.add(id);
    }
    leasedUntil.merge(id, until, (old, next) -> old.isAfter(next) ? old : next);
  }

  /** Schedules no more. */
  void endProducers() {
    producing = false;
  }

  /** Returns whether all confirmed messages were delivered. */
  boolean hasAll() {
    return delivered.containsAll(confirmed);
  }

  @Override
  public void close() {
    over = true;
  }

  void join() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
