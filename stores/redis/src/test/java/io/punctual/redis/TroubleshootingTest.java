package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Handler;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares the log lines in {@code docs/troubleshooting.md} with the log lines that a user without
 * any logging configuration sees. A failed comparison prints the lines to paste into the page.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class TroubleshootingTest {
  private static final Path PAGE = Path.of("../../docs/troubleshooting.md");
  private static final RetryPolicy TWICE = RetryPolicy.fixed(Duration.ofMillis(50)).maxAttempts(2);

  private static final byte[] PENS = "pens".getBytes(StandardCharsets.UTF_8);

  private static RedisProcess redis;

  private final Shop shop = new Shop();

  @BeforeAll
  static void startServer() {
    redis = RedisProcess.sharedAndEmpty();
  }

  private static void assertOnPage(String section, List<LogEntry> entries) throws IOException {
    String page = Files.readString(PAGE);
    String expected = LogEntry.block(page, section);
    String logged = LogEntry.text(entries);
    assertThat(LogEntry.masked(expected))
        .as("section '%s' of %s; the log has:%n%s", section, PAGE, logged)
        .isEqualTo(LogEntry.masked(logged));
  }

  private TimedQueue<String> work(
      Punctual punctual, WorkerOptions.Builder options, Handler<String> handler) {
    TimedQueue<String> queue = punctual.queue("orders", Codec.string());
    queue.work(options.retryPolicy(TWICE).shutdownGrace(Duration.ofSeconds(5)).build(), handler);
    return queue;
  }

  /** Runs a handler until its message is a dead letter; returns the log lines about the message. */
  private List<LogEntry> logOfDeath(
      WorkerOptions.Builder options, Handler<String> handler, byte[] payload) {
    try (CapturedLog log = new CapturedLog()) {
      try (Punctual punctual = Punctual.open(redis.url())) {
        TimedQueue<String> queue = work(punctual, options, handler);
        punctual.queue("orders", Codec.bytes()).schedule(Message.of(payload).id("order-17"));
        await().until(() -> queue.counts().dead() == 1);
        punctual.purgeAndDeleteQueue("orders");
      }
      return aboutMessages(log);
    }
  }

  /** Returns the log lines without the lines about the store, which a busy machine delays. */
  private static List<LogEntry> aboutMessages(CapturedLog log) {
    return LogEntry.of(log, "io.punctual").stream()
        .filter(entry -> !entry.logger().equals("io.punctual.store"))
        .filter(entry -> !entry.logger().startsWith("io.punctual.redis."))
        .toList();
  }

  @Test
  void handlerThrows_logIsOnThePage() throws IOException {
    assertOnPage("A handler throws", logOfDeath(WorkerOptions.builder(), shop::ship, PENS));
  }

  @Test
  void handlerExceedsItsTimeout_logIsOnThePage() throws IOException {
    assertOnPage(
        "A handler exceeds its time-out",
        logOfDeath(
            WorkerOptions.builder().handlerTimeout(Duration.ofMillis(200)),
            shop::callSupplier,
            PENS));
  }

  @Test
  void payloadCannotBeDecoded_logIsOnThePage() throws IOException {
    assertOnPage(
        "A payload cannot be decoded",
        logOfDeath(WorkerOptions.builder(), delivery -> {}, new byte[] {(byte) 0xff}));
  }

  @Test
  void handlerIgnoresItsTimeout_logIsOnThePage() throws IOException {
    List<LogEntry> first;
    try (CapturedLog log = new CapturedLog()) {
      try (Punctual punctual = Punctual.open(redis.url())) {
        TimedQueue<String> queue =
            work(
                punctual,
                WorkerOptions.builder().handlerTimeout(Duration.ofMillis(200)),
                shop::callBank);
        queue.schedule(Message.of("pens").id("order-17"));
        await().until(() -> !log.linesWith("Shop.callBank").isEmpty());
        shop.close();
        punctual.purgeAndDeleteQueue("orders");
      }
      first = aboutMessages(log).subList(0, 1);
    }
    assertOnPage("A handler ignores its time-out", first);
  }

  @Test
  void leaseIsLost_logIsOnThePage() throws IOException {
    try (CapturedLog log = new CapturedLog()) {
      try (Punctual punctual = Punctual.open(redis.url())) {
        TimedQueue<String> queue =
            work(punctual, WorkerOptions.builder().lease(Duration.ofSeconds(6)), shop::callBank);
        queue.schedule(Message.of("pens").id("order-17"));
        await().until(() -> queue.counts().leased() == 1);
        queue.schedule(
            Message.of("ink").id("order-17").dueIn(Duration.ofHours(1)), IfPresent.REPLACE);
        await().until(() -> !aboutMessages(log).isEmpty());
        shop.close();
        punctual.purgeAndDeleteQueue("orders");
      }
      assertOnPage("A lease is lost", aboutMessages(log));
    }
  }

  @Test
  void storeGoesAwayAndReturns_logIsOnThePage() throws IOException {
    try (CapturedLog log = new CapturedLog();
        RedisProcess server = RedisProcess.start();
        Punctual punctual = Punctual.open(server.url())) {
      TimedQueue<String> queue = work(punctual, WorkerOptions.builder(), delivery -> {});
      server.kill();
      // An idle worker calls the store only for a safety check, which logs under its own name.
      CompletionStage<?> unused = queue.async().schedule("pens", Duration.ZERO);
      await().until(() -> !LogEntry.of(log, "io.punctual.store").isEmpty());
      server.restart();
      await().until(() -> LogEntry.of(log, "io.punctual.store").size() >= 2);
      // The safety check also logs a failure if it runs during the outage, and the store may go
      // away again on a busy machine.
      assertOnPage(
          "The store goes away and returns", LogEntry.of(log, "io.punctual.store").subList(0, 2));
    }
  }
}
