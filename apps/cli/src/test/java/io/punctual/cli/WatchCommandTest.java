package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.StoreUnavailableException;
import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchCommandTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());
  private final SharedBytes written = new SharedBytes();

  /** The output so far, which another thread reads. */
  private static final class SharedBytes extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int b) {
      bytes.write(b);
    }

    @Override
    public synchronized void write(byte[] some, int offset, int length) {
      bytes.write(some, offset, length);
    }

    synchronized String text() {
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }

  /** Watches until the output contains the text {@code times} times. */
  private Cli.Result watchUntil(String text, int times, String... args) throws Exception {
    Cli watching = new Cli();
    watching.stores = cli.stores;
    watching.environment.putAll(cli.environment);
    watching.terminal = cli.terminal;
    watching.out = written;
    CompletableFuture<Cli.Result> running = CompletableFuture.supplyAsync(() -> watching.run(args));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> running.isDone() || written.text().split(text, -1).length > times);
    watching.stop.ask();
    return running.get(60, TimeUnit.SECONDS);
  }

  @Test
  void watch_withoutTerminal_writesALineForEachQueueAndLook() throws Exception {
    cli.run("schedule", "orders", "x", "--in", "1h");
    cli.run("schedule", "mails", "x");

    Cli.Result result = watchUntil("queue mails", 2, "watch", "--interval", "100ms");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(written.text())
        .containsPattern(
            "Z  queue orders  scheduled 1  ready 0  leased 0  dead 0  finished 0  overdue 0s "
                + " change/s 0  paused no\n")
        .doesNotContain("\u001b");
  }

  @Test
  void watch_onATerminal_rewritesTheTable() throws Exception {
    cli.run("schedule", "orders", "x", "--in", "1h");
    cli.terminal = new Terminal(true, true, true, false, true, 120);

    watchUntil("orders", 2, "watch", "--interval", "100ms");

    assertThat(written.text())
        .startsWith("QUEUE ")
        .contains("\u001b[2A\r\u001b[JQUEUE ")
        .containsPattern("orders +1 +0 +0 +0 +0 +0s +0 +no\n");
  }

  @Test
  void watch_ndjson_hasCountsAndRates() throws Exception {
    cli.run("schedule", "orders", "x", "--at", "2020-01-01T00:00:00Z");

    watchUntil("changePerSecond", 1, "watch", "orders", "-o", "ndjson", "--interval", "100ms");

    assertThat(written.text().lines().findFirst().orElseThrow())
        .containsPattern("\"at\":\"20.*\"queue\":\"orders\",\"partitions\":1,")
        .containsPattern("\"scheduled\":0,\"ready\":1,\"overdueMillis\":[0-9]{10,},");
  }

  @Test
  void watch_ndjson_hasTheFieldsOfOtherCommandsAndOfTheHttpApi() throws Exception {
    cli.run("schedule", "orders", "x", "--in", "1h");
    cli.run("pause", "orders", "--reason", "a bad deploy", "--by", "ada");
    cli.run("limits", "orders", "--concurrency", "7");
    String stats = cli.run("stats", "orders", "-o", "ndjson").out().strip();

    watchUntil("changePerSecond", 1, "watch", "-o", "ndjson", "--interval", "100ms");

    assertThat(stats).contains("a bad deploy", "ada", "\"concurrency\":7");
    assertThat(written.text().lines().findFirst().orElseThrow())
        .contains("," + stats.substring(1, stats.length() - 1) + ",");
  }

  @Test
  void watch_readerGone_endsQuietly() {
    cli.run("schedule", "orders", "x");
    cli.out =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };

    Cli.Result result = cli.run("watch", "--interval", "100ms");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
  }

  @Test
  void watch_unknownQueue_isThree() {
    cli.run("schedule", "orders", "x");

    Cli.Result result = cli.run("watch", "nosuch");

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.err()).contains("no queue 'nosuch'", "'orders'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"watch -o json", "watch --limit 0", "watch --interval 1ms"})
  void watch_badOptions_areWrongUsage(String command) {
    assertThat(cli.run(command.split(" ")).exitCode()).isEqualTo(2);
  }

  @Test
  void watch_storeAwayAtTheStart_isFive() {
    cli.stores =
        url -> {
          throw new StoreUnavailableException("away", null);
        };

    assertThat(cli.run("watch").exitCode()).isEqualTo(5);
  }
}
