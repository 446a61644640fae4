package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DemoCommandTest {
  private final Cli cli = new Cli();

  @Test
  void demo_json_hasExactlyTheFieldsPromised() {
    Cli.Result result = cli.run("demo", "--messages", "500", "--within", "1s", "--json");

    assertThat(result.exitCode()).as(result.out()).isZero();
    assertThat(result.out()).hasLineCount(1);
    JsonNode summary = result.json();
    assertThat(summary.propertyNames())
        .containsExactly(
            "store",
            "scheduled",
            "cancelled",
            "delivered",
            "lost",
            "duplicates",
            "early",
            "seconds",
            "latenessMillis");
    assertThat(summary.get("latenessMillis").propertyNames()).containsExactly("p50", "p99", "max");
    assertThat(summary.get("store").asString()).startsWith("journal:");
    assertThat(Path.of(summary.get("store").asString().substring("journal:".length())))
        .doesNotExist();
    assertThat(summary.get("scheduled").asInt()).isEqualTo(500);
    assertThat(summary.get("cancelled").asInt()).isBetween(50, 100);
    assertThat(summary.get("cancelled").asInt() + summary.get("delivered").asInt()).isEqualTo(500);
    assertThat(summary.get("lost").asInt()).isZero();
    assertThat(summary.get("duplicates").asInt()).isZero();
    assertThat(summary.get("early").asInt()).isZero();
    assertThat(summary.get("seconds").asDouble()).isBetween(0.5, 600.0);
    assertThat(summary.get("latenessMillis").get("p99").asDouble())
        .isBetween(
            summary.get("latenessMillis").get("p50").asDouble(),
            summary.get("latenessMillis").get("max").asDouble());
  }

  @Test
  void demo_toPeople_drawsAHistogramAndTalksOnStderr() {
    Cli.Result result = cli.run("demo", "--messages", "100", "--within", "300ms");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .contains("scheduled  100 orders", "lost       0", "p99 ", "up to ", "#");
    assertThat(result.out()).doesNotContain("\u001b", "\r");
    assertThat(result.err()).hasLineCount(1).doesNotContain("\u001b", "\r");
  }

  @Test
  void demo_onATerminal_showsProgressAndColours() {
    cli.terminal = new Terminal(true, true, true, true, true, 60);

    Cli.Result result = cli.run("demo", "--messages", "100", "--within", "500ms");

    assertThat(result.out()).contains("\u001b[32m0\u001b[0m", "\u2588");
    assertThat(result.err()).contains("\r", " closed", " paid").endsWith("\r\u001b[K");
    assertThat(result.err().split("[\r\n]"))
        .filteredOn(line -> line.contains("\u001b[K"))
        .allSatisfy(line -> assertThat(line.length()).isLessThan(60 + "\u001b[K".length()));
  }

  @Test
  void demo_coloursNotWanted_hasProgressWithoutThem() {
    cli.terminal = new Terminal(true, true, true, false, true, 80);

    Cli.Result result = cli.run("demo", "--messages", "50", "--within", "200ms");

    assertThat(result.out()).doesNotContain("\u001b");
    assertThat(result.err()).doesNotContain("\u001b[3", "\u001b[1m").contains("\r");
  }

  @Test
  void demo_sharedStore_deletesItsQueue() {
    MemoryStore store = MemoryStore.builder().build();
    cli.shared(store);

    assertThat(cli.run("demo", "--messages", "50", "--within", "200ms").exitCode()).isZero();
    assertThat(queues(store)).isEmpty();
  }

  @Test
  void demo_stopped_deletesItsQueue() throws Exception {
    MemoryStore store = MemoryStore.builder().build();
    cli.shared(store);
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(() -> cli.run("demo", "--messages", "50", "--within", "1h"));
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> pending(store) > 0);
    cli.stop.ask();
    Cli.Result result = running.get(60, TimeUnit.SECONDS);

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("Interrupted");
    assertThat(result.out()).isEmpty();
    assertThat(queues(store)).isEmpty();
  }

  private static List<String> queues(MemoryStore store) {
    return store.queues().toCompletableFuture().join();
  }

  private static long pending(MemoryStore store) {
    return queues(store).stream()
        .map(queue -> store.partitions(queue).toCompletableFuture().join().get(0))
        .map(partition -> partition.counts().toCompletableFuture().join())
        .mapToLong(counts -> counts.scheduled() + counts.ready() + counts.leased())
        .sum();
  }

  @Test
  void demo_wrongNumbers_areWrongUsage() {
    assertThat(cli.run("demo", "--messages", "0").exitCode()).isEqualTo(2);
    assertThat(cli.run("demo", "--within", "10y").exitCode()).isEqualTo(2);
    assertThat(cli.run("demo", "--within", "0s").exitCode()).isEqualTo(2);
  }
}
