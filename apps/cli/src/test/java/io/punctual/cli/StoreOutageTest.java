package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.cli.input.RawCodec;
import io.punctual.kit.redis.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests commands that run while their store stops and starts again. All commands live through the
 * same outage, each with a queue of its own.
 */
class StoreOutageTest {
  private static final String EXEC = "consume exec --exit-when-idle 10m --exec true";
  private static final Map<String, Running> COMMANDS = new LinkedHashMap<>();
  private static RedisProcess redis;
  private static String store;

  /** A command that has handled a first message before the outage. */
  private static final class Running {
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final Cli cli = new Cli();
    private final String queue;
    private final CompletableFuture<Cli.Result> result;
    private boolean endedInTheOutage;

    Running(String command, String queue) throws IOException {
      this.queue = queue;
      cli.environment.put("PUNCTUAL_STORE", store);
      cli.in = new PipedInputStream(new PipedOutputStream());
      cli.out = new FilterOutputStream(seen);
      // A thread for each command, because the common pool may have a single thread.
      Executor thread = task -> new Thread(task, command).start();
      result = CompletableFuture.supplyAsync(() -> cli.run(command.split(" ")), thread);
    }

    void schedule(String payload) {
      assertThat(new Cli().run("schedule", queue, payload, "--store", redis.url()).exitCode())
          .isZero();
    }

    void awaitLine(String text) {
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> result.isDone() || seen.toString(UTF_8).contains(text));
      assertThat(seen.toString(UTF_8)).contains(text);
    }

    void assertSucceeds() throws Exception {
      cli.stop.ask();
      assertThat(result.get(60, TimeUnit.SECONDS).exitCode()).isZero();
    }
  }

  @BeforeAll
  static void liveThroughAnOutage() throws Exception {
    redis = RedisProcess.start();
    store = redis.url() + "?blockingTimeout=200ms&operationTimeout=1s";
    start("consume plain", "plain");
    start("consume idle --exit-when-idle 10m", "idle");
    start("pipe --queue pipe", "pipe");
    Running exec = start(EXEC, "exec");
    for (Running running : COMMANDS.values()) {
      running.schedule("before");
    }
    for (Running running : COMMANDS.values()) {
      if (running != exec) {
        running.awaitLine("before");
      }
    }
    try (Punctual probe = Punctual.open(redis.url())) {
      TimedQueue<byte[]> queue = probe.queue("exec", new RawCodec());
      await().atMost(Duration.ofMinutes(1)).until(() -> queue.counts().pending() == 0);
    }
    stopUntilClaimsFail();
    COMMANDS.values().forEach(running -> running.endedInTheOutage = running.result.isDone());
    redis.restart();
  }

  private static Running start(String command, String queue) throws IOException {
    Running running = new Running(command, queue);
    COMMANDS.put(command, running);
    return running;
  }

  @AfterAll
  static void end() {
    COMMANDS.values().forEach(running -> running.cli.stop.ask());
    COMMANDS.clear();
    redis.close();
  }

  /**
   * Stops the server, and returns after two claims of another client have failed. Their lease and
   * wait are those of the commands' claims.
   */
  private static void stopUntilClaimsFail() {
    try (Punctual probe = Punctual.open(store)) {
      TimedQueue<byte[]> queue = probe.queue("plain", new RawCodec());
      redis.stop();
      int failed = 0;
      while (failed < 2) {
        try {
          Object unused =
              queue
                  .async()
                  .claim(
                      1,
                      ClaimOptions.DEFAULT
                          .lease(Duration.ofSeconds(30))
                          .maxWait(Duration.ofSeconds(1)))
                  .toCompletableFuture()
                  .join();
        } catch (CompletionException e) {
          assertThat(e).hasCauseInstanceOf(StoreUnavailableException.class);
          failed++;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"consume plain", "consume idle --exit-when-idle 10m", "pipe --queue pipe"})
  void consume_storeIsAway_waitsAndGoesOn(String command) throws Exception {
    Running running = COMMANDS.get(command);

    assertThat(running.endedInTheOutage).isFalse();
    running.schedule("after");
    running.awaitLine("after");
    running.assertSucceeds();
  }

  @Test
  void consumeExec_storeIsAwayAndIdlenessIsAsked_waits() throws Exception {
    Running running = COMMANDS.get(EXEC);

    assertThat(running.endedInTheOutage).isFalse();
    running.assertSucceeds();
  }
}
