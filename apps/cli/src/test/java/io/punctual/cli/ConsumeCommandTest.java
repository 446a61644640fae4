package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.cli.input.RawCodec;
import io.punctual.event.Event;
import io.punctual.memory.MemoryStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ConsumeCommandTest {
  private final MemoryStore store = MemoryStore.builder().build();
  private final Cli cli = new Cli().shared(store);

  private JsonNode counts() {
    return cli.run("stats", "q", "-o", "json").json();
  }

  private void schedule(int messages) {
    String lines =
        IntStream.range(0, messages)
            .mapToObj(i -> "{\"id\":\"" + i + "\",\"delay\":\"0s\",\"payload\":\"text " + i + "\"}")
            .collect(Collectors.joining("\n"));
    assertThat(cli.input(lines).run("schedule", "q").exitCode()).isZero();
  }

  @Test
  void consume_untilIdle_writesEachLineOnceAndLeavesNothing() {
    schedule(3000);

    Cli.Result result = cli.run("consume", "q", "--exit-when-idle", "100ms");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.jsonLines().stream().map(line -> line.get("id").asInt()))
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 3000).boxed().toList());
    assertThat(counts().get("ready").asInt() + counts().get("leased").asInt()).isZero();
  }

  @Test
  void consume_untilIdle_waitsForWhatOthersHold() throws Exception {
    schedule(1);
    CompletableFuture<Cli.Result> idle;
    try (var punctual = cli.stores.open("")) {
      var held =
          punctual
              .queue("q", new RawCodec())
              .claim(
                  1,
                  ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)));
      idle =
          CompletableFuture.supplyAsync(() -> cli.run("consume", "q", "--exit-when-idle", "200ms"));
      assertThat(idle.completeOnTimeout(null, 1, TimeUnit.SECONDS).get()).isNull();
      held.get(0).ack();
    }
  }

  /** The reader receives the last of three lines only when the other two messages are acked. */
  @Test
  void consume_slowReader_acksMessagesBeforeItsClaimIsWritten() {
    String text = "x".repeat(40_000);
    for (int i = 0; i < 3; i++) {
      assertThat(cli.run("schedule", "q", text).exitCode()).isZero();
    }
    AtomicInteger received = new AtomicInteger();
    cli.out =
        new OutputStream() {
          @Override
          public void write(int b) {
            received.incrementAndGet();
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (received.addAndGet(length) > 2 * text.length() + 10_000) {
              Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> leased() <= 1);
            }
          }
        };

    assertThat(cli.run("consume", "q", "--max", "3").exitCode()).isZero();

    assertThat(received.get()).isGreaterThan(3 * text.length());
    assertThat(leased()).isZero();
  }

  private long leased() {
    return store
        .partitions("q")
        .toCompletableFuture()
        .join()
        .get(0)
        .counts()
        .toCompletableFuture()
        .join()
        .leased();
  }

  @Test
  void consume_max_takesExactlySoMany() {
    schedule(50);

    Cli.Result result = cli.run("consume", "q", "--max", "7");

    assertThat(result.out()).hasLineCount(7);
    assertThat(counts().get("ready").asInt()).isEqualTo(43);
    assertThat(counts().get("leased").asInt()).isZero();
  }

  @Test
  void consume_dueInTheYear1601_writesWhenItWasDelivered() {
    cli.run("schedule", "q", "old", "--at", "1601-01-01T00:00:00Z");
    Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);

    JsonNode line = cli.run("consume", "q", "--max", "1").json();

    assertThat(line.get("dueAt").asString()).startsWith("1601-01-01");
    assertThat(Instant.parse(line.get("deliveredAt").asString()))
        .isBetween(before, Instant.now().plusMillis(1));
    assertThat(line.get("latenessMillis").asDouble()).isPositive();
  }

  @Test
  void consume_untilIdleForLongerThan292Years_waits() {
    schedule(1);

    Cli.Result result = cli.run("consume", "q", "--max", "1", "--exit-when-idle", "200000d");

    assertThat(result.exitCode()).as(result.err()).isZero();
  }

  @Test
  void consume_stopped_endsWithoutHoldingAnything() throws Exception {
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(() -> cli.run("consume", "q"));
    cli.stop.ask();

    assertThat(running.get(60, TimeUnit.SECONDS).exitCode()).isZero();
    assertThat(new Cli().shared(store).run("schedule", "q", "1").exitCode()).isZero();
    Awaitility.await().until(() -> counts().get("ready").asInt() == 1);
  }

  @Test
  void consume_readerGone_endsQuietlyAndGivesBack() {
    schedule(5);
    cli.withoutReader();

    assertThat(cli.run("consume", "q")).isEqualTo(new Cli.Result(0, "", ""));
    cli.out = new java.io.ByteArrayOutputStream();
    assertThat(counts().get("ready").asInt()).isEqualTo(5);
  }

  @Test
  void consume_exec_hasThePayloadOnItsInputAndIdInItsEnvironment(@TempDir Path folder)
      throws IOException {
    cli.run("schedule", "q", "plain \u2603", "--id", "text");
    cli.run("schedule", "q", "{\"n\": 1.10}", "--id", "json");

    Cli.Result result =
        cli.run(
            "consume",
            "q",
            "--exit-when-idle",
            "100ms",
            "--exec",
            "cat > '" + folder + "'/$PUNCTUAL_QUEUE-$PUNCTUAL_ID-$PUNCTUAL_ATTEMPT");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(Files.readString(folder.resolve("q-text-1"))).isEqualTo("plain \u2603");
    assertThat(Files.readString(folder.resolve("q-json-1"))).isEqualTo("{\"n\": 1.10}");
    assertThat(counts().get("leased").asInt()).isZero();
  }

  @Test
  void consume_execThatFails_isRetriedWithTheReasonKept() {
    cli.run("schedule", "q", "x", "--id", "a");

    Cli.Result result = cli.run("consume", "q", "--max", "1", "--exec", "exit 3");

    assertThat(result.exitCode()).isZero();
    JsonNode message = cli.run("show", "q", "a", "-o", "json").json();
    assertThat(message.get("state").asString()).isIn("SCHEDULED", "READY");
    assertThat(message.get("attempts").asInt()).isOne();
    assertThat(message.get("failures").get(0).get("error").asString())
        .isEqualTo("The command ended with 3");
  }

  @Test
  void consume_execThatDoesNotRead_isDone() {
    cli.run("schedule", "q", "x".repeat(500_000), "--id", "a");

    assertThat(cli.run("consume", "q", "--max", "1", "--exec", "exit 0").exitCode()).isZero();
    assertThat(cli.run("show", "q", "a").exitCode()).isEqualTo(3);
  }

  @Test
  void consume_execMaxWithConcurrency_runsExactlySoMany(@TempDir Path folder) throws IOException {
    schedule(20);

    Cli.Result result =
        cli.run(
            "consume",
            "q",
            "--max",
            "7",
            "--concurrency",
            "3",
            "--exec",
            "touch '" + folder + "'/$PUNCTUAL_ID");

    assertThat(result.exitCode()).isZero();
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(7);
    }
    assertThat(counts().get("ready").asInt()).isEqualTo(13);
  }

  @Test
  void consume_execMaxStarted_claimsNoMoreWhileTheLastCommandsRun() {
    schedule(20);
    AtomicInteger released = new AtomicInteger();
    cli.observer =
        event -> {
          if (event instanceof Event.MessageReleased) {
            released.incrementAndGet();
          }
        };

    String command = "test $PUNCTUAL_ID = 0 || sleep 0.5";
    cli.run("consume", "q", "--max", "3", "--concurrency", "2", "--exec", command);

    assertThat(released).hasValueLessThan(4);
  }

  @Test
  void consume_execConcurrency_runsAtTheSameTime(@TempDir Path folder) throws Exception {
    schedule(3);
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(
            () ->
                cli.run(
                    "consume",
                    "q",
                    "--max",
                    "3",
                    "--concurrency",
                    "3",
                    "--exec",
                    "cd '"
                        + folder
                        + "'; touch $PUNCTUAL_ID; "
                        + "until [ -e go ]; do sleep 0.05; done"));
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  List.of("0", "1", "2").stream().allMatch(id -> Files.exists(folder.resolve(id))));
    } finally {
      Files.createFile(folder.resolve("go"));
    }

    assertThat(running.get(60, TimeUnit.SECONDS).exitCode()).isZero();
  }

  @Test
  void consume_wrongNumbers_areWrongUsage() {
    assertThat(cli.run("consume", "q", "--max", "0").exitCode()).isEqualTo(2);
    assertThat(cli.run("consume", "q", "--concurrency", "0").exitCode()).isEqualTo(2);
    assertThat(cli.run("consume", "q", "--exit-when-idle", "0s").exitCode()).isEqualTo(2);
  }

  @Test
  void consume_execThatFails_saysIdAttemptAndExitStatus() {
    cli.run("schedule", "q", "x", "--id", "a");

    Cli.Result result = cli.run("consume", "q", "--max", "1", "--exec", "exit 3");

    assertThat(result.err()).contains("Message 'a', attempt 1: The command ended with 3");
  }

  @Test
  void consume_execInterruptedByTheTerminal_costsNoAttempt(@TempDir Path folder) throws Exception {
    cli.run("schedule", "q", "x", "--id", "a");
    Path started = folder.resolve("started");
    // The command exits with 130, as after SIGINT. The test sends no signal, because a shell lets
    // its background processes ignore SIGINT.
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(
            () ->
                cli.run(
                    "consume",
                    "q",
                    "--exec",
                    "touch '"
                        + started
                        + ".new'; mv '"
                        + started
                        + ".new' '"
                        + started
                        + "'; while [ -e '"
                        + started
                        + "' ]; do sleep 0.05; done; exit 130"));
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> Files.exists(started));

    Files.delete(started);
    cli.stop.ask();

    Cli.Result result = running.get(60, TimeUnit.SECONDS);
    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    JsonNode message = cli.run("show", "q", "a", "-o", "json").json();
    assertThat(message.get("state").asString()).isEqualTo("READY");
    assertThat(message.get("attempts").asInt()).isZero();
  }
}
