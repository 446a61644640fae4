package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the commands with more queues than a person reads. */
class ManyQueuesTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  private void create(int queues) {
    for (int i = 0; i < queues; i++) {
      cli.run("schedule", String.format("tenant-%03d", i), "x", "--in", "1h");
    }
    cli.run("schedule", "tenant-900", "x", "--at", "2020-01-01T00:00:00Z");
  }

  @Test
  void watch_moreThanTheLimit_showsTheMostOverdueAndHowManyThereAre() {
    create(30);
    cli.terminal = new Terminal(true, true, true, false, true, 120);
    cli.stop.ask();

    String out = cli.run("watch", "--limit", "3").out();

    assertThat(out.lines().toList().get(1)).startsWith("tenant-900 ");
    assertThat(out)
        .contains("3 of 31 queues, by overdue; --limit, --sort and --prefix show others");
  }

  @Test
  void watch_prefix_showsTheseQueues() {
    create(12);
    cli.stop.ask();

    assertThat(cli.run("watch", "--prefix", "tenant-01", "-o", "ndjson").jsonLines())
        .extracting(line -> line.get("queue").asString())
        .containsExactly("tenant-010", "tenant-011");
  }

  @ParameterizedTest
  @ValueSource(strings = {"overdue", "ready"})
  void queues_sorted_putsTheLateQueueFirst(String order) {
    create(3);

    assertThat(cli.run("queues", "--sort", order, "-o", "ndjson").jsonLines())
        .extracting(line -> line.get("queue").asString())
        .containsExactly("tenant-900", "tenant-000", "tenant-001", "tenant-002");
  }

  @Test
  void queues_sortedAndLimited_saysHowManyAreLeft() {
    create(3);

    Cli.Result result = cli.run("queues", "--sort", "overdue", "--limit", "1");

    assertThat(result.out()).contains("tenant-900").doesNotContain("tenant-000");
    assertThat(result.err()).contains("3 more queues");
  }

  @Test
  void queues_sortedAfterAName_isWrongUsage() {
    assertThat(cli.run("queues", "--sort", "ready", "--after", "a").exitCode()).isEqualTo(2);
  }

  @Test
  void missingQueue_manyExist_namesTheNearest() {
    create(40);
    cli.run("schedule", "zebra-orders", "x");

    assertThat(cli.run("stats", "zebra-order").err()).contains("it has 'zebra-orders', ");
  }

  @Test
  void pauseAndResume_prefix_changeAllThatBeginAlike() {
    create(3);
    cli.run("schedule", "other", "x");

    Cli.Result paused = cli.run("pause", "--prefix", "tenant-0", "--reason", "upgrade");

    assertThat(paused.exitCode()).isZero();
    assertThat(paused.err().lines()).hasSize(3);
    assertThat(pausedQueues()).isEqualTo(3);
    cli.run("resume", "tenant-000", "tenant-001");
    assertThat(pausedQueues()).isEqualTo(1);
  }

  private long pausedQueues() {
    return cli.run("queues", "-o", "ndjson").jsonLines().stream()
        .filter(line -> line.get("paused").asBoolean())
        .count();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause", "pause q --prefix q", "resume"})
  void pause_neitherOrBothSelections_areWrongUsage(String command) {
    assertThat(cli.run(command.split(" ")).exitCode()).isEqualTo(2);
  }

  @Test
  void pause_oneNameIsMissing_changesNone() {
    create(1);

    assertThat(cli.run("pause", "tenant-000", "nosuch").exitCode()).isEqualTo(3);
    assertThat(pausedQueues()).isZero();
    assertThat(cli.run("pause", "--prefix", "nosuch").exitCode()).isEqualTo(3);
  }

  @Test
  void queues_moreThanAPage_areAllListed() {
    IntStream.range(0, 260).forEach(i -> cli.run("schedule", "q" + i, "x"));

    assertThat(cli.run("queues", "-o", "json").json()).hasSize(260);
  }
}
