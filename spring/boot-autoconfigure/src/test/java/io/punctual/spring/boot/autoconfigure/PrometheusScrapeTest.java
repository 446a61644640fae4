package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Message;
import io.punctual.TimedQueue;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualQueues;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * Scrapes over HTTP, while an application handles 10,000 messages a second. The series must stay
 * the same. Prints the times of the scrapes, which depend on the machine.
 */
class PrometheusScrapeTest {
  private static final int RATE = 10_000;
  private static final int SECONDS =
      Integer.getInteger(
          "punctual.scrape.seconds", Boolean.getBoolean("punctual.thorough") ? 3 : 1);
  private static final int STEP = 100;
  private static final int FIRST = 2_000;
  private static final int MESSAGES = RATE * SECONDS;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Double> times = new ArrayList<>();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
  static class Application {
    @PunctualListener(value = "orders", concurrency = "16", maxAttempts = "1")
    void handle(String text) {
      if (text.hashCode() % 100 == 0) {
        throw new IllegalArgumentException("refused " + text);
      }
    }
  }

  /** Removes the log level that the test has set, because it applies to the whole JVM. */
  @AfterEach
  void resetLog() {
    LoggingSystem.get(getClass().getClassLoader()).setLogLevel("io.punctual", null);
  }

  @Test
  void scrapesDuringTheLoad_haveTheSameSeries() throws Exception {
    try (var context =
        (ServletWebServerApplicationContext)
            SpringApplication.run(
                Application.class,
                "--server.port=0",
                "--punctual.url=memory:",
                "--punctual.metrics.refresh=100ms",
                "--management.endpoints.web.exposure.include=prometheus",
                "--logging.level.io.punctual=OFF")) {
      URI scrape =
          URI.create(
              "http://localhost:" + context.getWebServer().getPort() + "/actuator/prometheus");
      TimedQueue<String> orders = context.getBean(PunctualQueues.class).get("orders", String.class);
      load(orders, scrape, 0, FIRST);
      Set<String> known = series(scrapeWhenSettled(scrape, FIRST));
      load(orders, scrape, FIRST, MESSAGES);
      print();
      String last = scrapeWhenSettled(scrape, MESSAGES);
      assertThat(series(last)).isEqualTo(known).hasSizeLessThan(200);
      assertThat(last)
          .contains("error=\"IllegalArgumentException\"")
          .doesNotContain("id-", "refused", "payload");
    }
  }

  private String scrapeWhenSettled(URI uri, int messages) throws Exception {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(settled(scrape(uri))).isEqualTo(messages));
    return scrape(uri);
  }

  /** Schedules messages at the rate {@link #RATE}, and scrapes ten times a second. */
  private void load(TimedQueue<String> orders, URI uri, int from, int to) throws Exception {
    long start = System.nanoTime();
    for (int sent = from; sent < to; sent += STEP) {
      for (int i = sent; i < sent + STEP; i++) {
        CompletionStage<?> unused =
            orders
                .async()
                .schedule(Message.of("payload " + i).id("id-" + i).dueIn(Duration.ofMillis(20)));
      }
      if (sent % (RATE / 10) == 0) {
        scrape(uri);
      }
      long next = start + (sent + STEP - from) * TimeUnit.SECONDS.toNanos(1) / RATE;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  private String scrape(URI uri) throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<String> response =
        http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    times.add((System.nanoTime() - start) / 1e6);
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private void print() {
    List<Double> warm = times.stream().skip(1).sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "scrapes over HTTP at %,d messages/s: first %.1f ms, then median %.1f ms, up to %.1f ms%n",
        RATE,
        times.get(0),
        warm.get(warm.size() / 2),
        warm.get(warm.size() - 1));
  }

  /** Returns the names and tags of Punctual's samples in a scrape. */
  private static Set<String> series(String scrape) {
    return scrape
        .lines()
        .filter(line -> line.startsWith("punctual_"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static double settled(String scrape) {
    return scrape
        .lines()
        .filter(line -> line.startsWith("punctual_settled_total"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
