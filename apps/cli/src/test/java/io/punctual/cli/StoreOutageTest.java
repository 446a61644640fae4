package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.cli.input.RawCodec;
import io.punctual.kit.redis.RedisProcess;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests commands that run while their store stops and starts again. */
class StoreOutageTest {
  private final RedisProcess redis = RedisProcess.start();
  private final String store = redis.url() + "?blockingTimeout=200ms&operationTimeout=300ms";
  private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
  private final Cli cli = new Cli();

  @AfterEach
  void end() {
    cli.stop.ask();
    redis.close();
  }

  private CompletableFuture<Cli.Result> start(String command) {
    cli.environment.put("PUNCTUAL_STORE", store);
    cli.out = new FilterOutputStream(seen);
    return CompletableFuture.supplyAsync(() -> cli.run(command.split(" ")));
  }

  private void awaitLine(String text) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> seen.toString(UTF_8).contains(text));
  }

  private void schedule(String payload) {
    assertThat(new Cli().run("schedule", "q", payload, "--store", redis.url()).exitCode()).isZero();
  }

  /**
   * Stops the server, and returns after three claims of another client have failed. Their lease and
   * wait are those of the command's claims.
   */
  private void stopUntilClaimsFail() {
    try (Punctual probe = Punctual.open(store)) {
      TimedQueue<byte[]> queue = probe.queue("q", new RawCodec());
      redis.stop();
      int failed = 0;
      while (failed < 3) {
        try {
          Object unused =
              queue
                  .claimAsync(1, Duration.ofSeconds(30), Duration.ofSeconds(1))
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
  @ValueSource(strings = {"consume q", "consume q --exit-when-idle 1m", "pipe --queue q"})
  void consume_storeIsAway_waitsAndGoesOn(String command) throws Exception {
    schedule("before");
    cli.in = new PipedInputStream(new PipedOutputStream());
    CompletableFuture<Cli.Result> running = start(command);
    awaitLine("before");

    stopUntilClaimsFail();
    assertThat(running).isNotDone();
    redis.restart();
    schedule("after");
    awaitLine("after");
    cli.stop.ask();

    assertThat(running.get(20, TimeUnit.SECONDS).exitCode()).isZero();
  }

  @Test
  void consumeExec_storeIsAwayAndIdlenessIsAsked_waits() throws Exception {
    schedule("before");
    CompletableFuture<Cli.Result> running = start("consume q --exit-when-idle 1m --exec true");
    Awaitility.await().until(() -> redis.ask("KEYS", "*").toString().contains("q"));

    stopUntilClaimsFail();

    assertThat(running).isNotDone();
    redis.restart();
    cli.stop.ask();
    assertThat(running.get(20, TimeUnit.SECONDS).exitCode()).isZero();
  }
}
