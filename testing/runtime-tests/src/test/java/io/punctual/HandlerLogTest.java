package io.punctual;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.log.CapturedLog;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests the log lines about deliveries that a user sees without any configuration. */
class HandlerLogTest {
  private static CapturedLog log;
  private static AudibleLog audible;

  @BeforeAll
  static void capture() {
    log = new CapturedLog();
    audible = new AudibleLog("io.punctual.handler");
  }

  @AfterAll
  static void release() {
    log.close();
    audible.close();
  }

  private static Punctual punctual() {
    return Punctual.builder().store(MemoryStore.builder().build()).build();
  }

  private static void failAlways(Delivery<String> delivery) {
    throw new IllegalStateException("no stock for " + delivery.payload());
  }

  @Test
  void work_handlerFails_eachAttemptAndTheDeadLetterAreLoggedWithTheirStackTraces() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2);
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-failures", Codec.string());
      queue.work(WorkerOptions.builder().retryPolicy(policy).build(), HandlerLogTest::failAlways);
      queue.schedule(Message.of("pens").id("order-1"));
      await().until(() -> queue.counts().dead() == 1);
    }
    assertThat(log.text())
        .containsPattern(
            "WARN io.punctual.handler - Attempt 1 of message 'order-1' in queue 'logged-failures'"
                + " failed; the next attempt is due at 20")
        .containsPattern(
            "ERROR io.punctual.handler - Message 'order-1' in queue 'logged-failures' becomes a"
                + " dead letter after attempt 2: FAILED: .*no stock for pens\\R"
                + "java.lang.IllegalStateException: no stock for pens\\R"
                + "\\s+at .*HandlerLogTest.failAlways");
  }

  @Test
  void idsAndReportedFailures_withLineBreaks_forgeNoLines() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2);
    ReportedException reported = new ReportedException("T", "declined\r\nFORGED text", "");
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-forgeries", Codec.string());
      queue.schedule(Message.of("pens").id("order\nFORGED id"));
      for (int attempt = 1; attempt <= 2; attempt++) {
        Delivery<String> delivery = queue.claim(1, Duration.ofSeconds(5)).get(0);
        queue.settle(List.of(new Settlement.Fail(delivery.receipt(), reported, policy)));
      }
      await().until(() -> log.text().contains("in queue 'logged-forgeries' becomes a dead letter"));
    }
    assertThat(log.text())
        .contains("Attempt 1 of message 'order\\nFORGED id'", ": T: declined\\u000d\\nFORGED text")
        .doesNotContainPattern("(?m)^FORGED");
  }

  @Test
  void longReasonsOfOthers_areLoggedCut() {
    String reason = "x".repeat(100_000);
    ReportedException reported = new ReportedException("T", reason, "");
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-novels", Codec.string());
      queue.schedule(Message.of("pens").id("failed"));
      Delivery<String> delivery = queue.claim(1, Duration.ofSeconds(5)).get(0);
      RetryPolicy policy = RetryPolicy.fixed(Duration.ZERO);
      queue.settle(List.of(new Settlement.Fail(delivery.receipt(), reported, policy)));
      queue.claim(1, Duration.ofSeconds(5)).get(0).bury(reason);
    }
    await().until(() -> log.text().contains("'logged-novels' becomes a dead letter"));
    assertThat(log.linesWith("logged-novels")).hasSize(2).allMatch(line -> line.length() < 1_000);
  }

  @Test
  void limits_burstBelowTheMessagesOf20Milliseconds_isLogged() {
    Duration second = Duration.ofSeconds(1);
    try (Punctual punctual = punctual()) {
      punctual.queue("small", Codec.string()).setLimits(QueueLimits.none().rate(200, second, 3));
      punctual.queue("enough", Codec.string()).setLimits(QueueLimits.none().rate(200, second, 4));
      punctual.queue("slow", Codec.string()).setLimits(QueueLimits.none().rate(50, second, 1));
    }
    assertThat(log.text())
        .contains("WARN io.punctual.handler - The burst of 3 of queue 'small'", "at least 4,")
        .doesNotContain("of queue 'enough'", "of queue 'slow'");
  }

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no words");
    }
  }

  @Test
  void workBatch_failureCannotBePrinted_allMessagesAreRetried() {
    RetryPolicy policy = RetryPolicy.fixed(Duration.ofMillis(1)).maxAttempts(2);
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-unprintable", Codec.string());
      queue.scheduleAll(List.of(Message.of("pens").id("a"), Message.of("ink").id("b")));
      queue.workBatches(
          WorkerOptions.builder().retryPolicy(policy).lease(Duration.ofDays(1)).build(),
          deliveries -> {
            throw new Unprintable();
          });
      await().until(() -> queue.counts().dead() == 2);
    }
    assertThat(log.text())
        .contains("logged-unprintable")
        .contains("a failure that can't be printed");
  }

  @Test
  void ack_leaseLost_refusalIsLogged() {
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-refusals", Codec.string());
      queue.schedule(Message.of("pens").id("order-2"));
      Delivery<String> late = queue.claim(1, Duration.ofSeconds(5)).get(0);
      queue.schedule(Message.of("ink").id("order-2"), IfPresent.REPLACE);
      assertThat(late.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
    }
    assertThat(log.text())
        .contains("The ack of message 'order-2' in queue 'logged-refusals' was refused");
  }

  @Test
  void ack_leaseLossIsLoggedAlready_refusalIsNotLoggedAsWell() {
    try (Punctual punctual = punctual()) {
      TimedQueue<String> queue = punctual.queue("logged-once", Codec.string());
      queue.schedule(Message.of("pens").id("order-3"));
      Delivery<String> late = queue.claim(1, Duration.ofSeconds(5)).get(0);
      queue.schedule(Message.of("ink").id("order-3"), IfPresent.REPLACE);
      assertThat(late.extend(Duration.ofSeconds(5))).isEqualTo(SettleOutcome.LEASE_LOST);
      assertThat(late.ack()).isEqualTo(SettleOutcome.LEASE_LOST);
    }
    assertThat(log.text())
        .contains("The lease of message 'order-3' in queue 'logged-once' was lost in attempt 1")
        .doesNotContain("The ack of message 'order-3'");
  }
}
