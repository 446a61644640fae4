package io.punctual.docs;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.Receipt;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.lock.RedisLocks;
import io.punctual.test.ManualClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The fields, methods and types that the snippets of the pages use without a declaration. */
@SuppressWarnings("NullAway.Init")
abstract class SnippetFixtures {
  Punctual punctual;
  TimedQueue<Order> timeouts;
  TimedQueue<String> reminders;
  TimedQueue<String> queue;
  TimedQueue<Webhook> webhooks;
  Worker worker;
  ManualClock clock;
  Delivery<Order> delivery;
  Receipt receipt;
  RedisLocks locks;
  Order order;
  List<Order> unpaid;
  Orders orders;
  Ledger ledger;
  Outbox outbox;
  Mailer mailer;
  Metrics metrics;
  MeterRegistry registry;
  ObservationRegistry observations;
  Tracer tracer;
  Propagator propagator;
  HttpClient http;
  ExecutorService executor;
  Instant departure;
  Connection connection;
  DataSource dataSource;
  Limiter limiter;
  String row;
  String tenant;
  byte[] payload;

  abstract void run();

  record Order(String id, long cents) {}

  record Reminder(String text, Instant at) implements Delayed {
    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(Duration.between(Instant.now(), at));
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  record Webhook(String url, String body) {
    HttpRequest request() {
      return HttpRequest.newBuilder(java.net.URI.create(url))
          .timeout(Duration.ofSeconds(10))
          .POST(HttpRequest.BodyPublishers.ofString(body))
          .build();
    }
  }

  record OutboxRow(String id, Order order, Instant dueAt) {}

  interface Orders {
    void insert(Order order);

    boolean isPaid(String id);

    void close(Order order);

    boolean closeIfUnpaid(String id, long fencingToken);

    CompletionStage<Void> closeAsync(Order order);

    void closeAll(List<Order> orders);
  }

  interface Outbox {
    void add(OutboxRow row);

    List<OutboxRow> next(int max);

    void remove(List<OutboxRow> rows);
  }

  interface Ledger {
    void write(String row, long fencingToken);
  }

  interface Mailer {
    void send(String text);
  }

  interface Limiter {
    boolean tryAcquire();
  }

  interface Metrics {
    void count(String name, String queue);

    void time(String name, String queue, Duration time);

    void gauge(String name, String queue, long value);
  }

  interface Connection {
    void closeIfIdle();
  }
}
