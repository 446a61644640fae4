package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.redis.client.scripted.ManualTimer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests when a late check is repeated, and when it logs an error. */
final class LateCheckTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTimer timer = new ManualTimer();
  private final Queue<CompletableFuture<Void>> pings = new ArrayDeque<>();
  private final AtomicInteger checks = new AtomicInteger();
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private volatile boolean wanted = true;
  private volatile RuntimeException failure;
  private final LateCheck check = new LateCheck(timer, late -> wanted, this::ping, this::check);

  @BeforeEach
  void captureLog() {
    System.setErr(new PrintStream(log, true, UTF_8));
  }

  @AfterEach
  void showLog() {
    System.setErr(before);
    before.print(log.toString(UTF_8));
  }

  private CompletableFuture<Void> ping() {
    CompletableFuture<Void> ping = new CompletableFuture<>();
    pings.add(ping);
    return ping;
  }

  private void check() {
    checks.incrementAndGet();
    RuntimeException thrown = failure;
    if (thrown != null) {
      throw thrown;
    }
  }

  private List<String> errors() {
    return log.toString(UTF_8).lines().filter(line -> line.contains("ERROR")).toList();
  }

  private void awaitChecks(int count) {
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> checks.get() == count);
  }

  private void awaitPlanned() {
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !timer.delays().isEmpty());
  }

  @Test
  void later_serverAnswers_checksOnceASecondLater() {
    check.later();
    timer.advance(SECOND.minusNanos(1));
    assertThat(pings).isEmpty();
    timer.advance(Duration.ofNanos(1));
    pings.remove().complete(null);
    awaitChecks(1);
    timer.advance(Duration.ofMinutes(1));
    assertThat(pings).isEmpty();
  }

  @Test
  void ping_fails_isRepeatedASecondLaterWithoutACheck() {
    check.later();
    timer.advance(SECOND);
    pings.remove().completeExceptionally(new IllegalStateException("away"));
    timer.advance(SECOND);
    assertThat(pings).hasSize(1);
    assertThat(checks).hasValue(0);
  }

  @Test
  void check_serverIsUnavailable_isRepeatedASecondLater() {
    failure = new StoreUnavailableException("loads its data", null);
    check.later();
    timer.advance(SECOND);
    pings.remove().complete(null);
    awaitPlanned();
    failure = null;
    timer.advance(SECOND);
    pings.remove().complete(null);
    awaitChecks(2);
    assertThat(errors()).isEmpty();
  }

  @Test
  void check_serverIsUnfit_logsAnErrorAndIsNotRepeated() {
    failure = new StoreRefusedException("node 7002 may evict messages", null);
    check.later();
    timer.advance(SECOND);
    pings.remove().complete(null);
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !errors().isEmpty());
    assertThat(errors())
        .singleElement()
        .asString()
        .contains("node 7002 may evict messages", "still uses it");
    timer.advance(Duration.ofMinutes(1));
    assertThat(pings).isEmpty();
  }

  @Test
  void attempt_noLongerWanted_asksNothing() {
    check.later();
    wanted = false;
    timer.advance(Duration.ofMinutes(1));
    assertThat(pings).isEmpty();
  }

  @Test
  void later_timerIsClosed_isGivenUpQuietly() {
    timer.close();
    check.later();
    assertThat(pings).isEmpty();
    assertThat(errors()).isEmpty();
  }
}
