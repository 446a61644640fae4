package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class ScheduleCommandTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  private JsonNode show(String id) {
    return cli.run("show", "q", id, "-o", "json").json();
  }

  @Test
  void schedule_body_writesTheIdAlone() {
    Cli.Result result = cli.run("schedule", "q", "hello", "--in", "10m");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(show(result.out().strip()).get("state").asString()).isEqualTo("SCHEDULED");
  }

  @Test
  void schedule_readerGone_schedulesAllLinesAndKeepsTheExitCode() {
    String lines = "nonsense\n{\"id\":\"a\",\"delay\":\"1h\",\"payload\":1}\n";

    Cli.Result result = cli.input(lines).withoutReader().run("schedule", "q");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("line 1 is not JSON");
    cli.out = new ByteArrayOutputStream();
    assertThat(show("a").get("state").asString()).isEqualTo("SCHEDULED");
  }

  @Test
  void schedule_idExistsAndReaderGone_isNotStored() {
    cli.run("schedule", "q", "x", "--id", "a", "--in", "1h");

    assertThat(cli.withoutReader().run("schedule", "q", "x", "--id", "a").exitCode()).isEqualTo(4);
  }

  @Test
  void schedule_linesWithControlCharacters_cannotSteerTheTerminal() {
    cli.run("schedule", "q", "x", "--id", "\u001b[2Ja", "--in", "1h");
    String lines = "{\"\\u001b[2Jb\":1}\n{\"id\":\"\\u001b[2Ja\",\"delay\":\"1h\",\"payload\":1}\n";

    Cli.Result result = cli.input(lines).run("schedule", "q", "--if-present", "reject");

    assertThat(result.err())
        .contains("line 1 ", "[2Jb", "line 2 ", "[2Ja")
        .doesNotContain("\u001b");
    assertThat(cli.run("show", "q", "\u001b[2Jc").err()).contains("[2Jc").doesNotContain("\u001b");
    assertThat(cli.run("stats", "\u001b[2Jd").err()).contains("[2Jd").doesNotContain("\u001b");
    assertThat(cli.run("schedule", "\u001b[2Je", "x").err())
        .contains("[2Je")
        .doesNotContain("\u001b");
  }

  @Test
  void schedule_everyOption_isKept() {
    String at = "2090-01-01T00:00:00.000Z";
    Cli.Result result =
        cli.run(
            "schedule",
            "q",
            "{\"n\": 1.10}",
            "--at",
            at,
            "--id",
            "order-1",
            "--header",
            "a=b=c",
            "--header",
            "k=v",
            "--not-after",
            "2091-01-01T00:00:00Z",
            "-o",
            "json");

    assertThat(result.json().get("id").asString()).isEqualTo("order-1");
    assertThat(result.json().get("outcome").asString()).isEqualTo("STORED");
    assertThat(result.json().get("dueAt").asString()).isEqualTo(at);
    JsonNode stored = show("order-1");
    assertThat(stored.get("dueAt").asString()).isEqualTo(at);
    assertThat(stored.get("notAfter").asString()).isEqualTo("2091-01-01T00:00:00.000Z");
    assertThat(stored.get("headers").toString()).contains("\"a\":\"b=c\"", "\"k\":\"v\"");
    assertThat(cli.run("show", "q", "order-1", "-o", "json").out())
        .endsWith("\"payload\":{\"n\": 1.10}}\n");
  }

  @ParameterizedTest
  @CsvSource({
    "hello, '\"hello\"'",
    "42, 42",
    "'\"quoted\"', '\"quoted\"'",
    "'', '\"\"'",
    "{, '\"{\"'"
  })
  void schedule_bodyThatIsNotJson_becomesAString(String body, String payload) {
    cli.run("schedule", "q", body, "--id", "a", "--in", "1h");

    assertThat(cli.run("show", "q", "a", "-o", "json").out())
        .endsWith("\"payload\":" + payload + "}\n");
  }

  @Test
  void schedule_withoutTime_isDueAtOnce() {
    cli.run("schedule", "q", "now", "--id", "a");

    assertThat(show("a").get("state").asString()).isEqualTo("READY");
  }

  @ParameterizedTest
  @CsvSource({"keep, 4, first", "reject, 4, first", "replace, 0, second", "earliest, 0, second"})
  void schedule_idThatIsThere_doesAsTold(String mode, int exitCode, String payload) {
    cli.run("schedule", "q", "first", "--id", "a", "--in", "2h");

    Cli.Result again =
        cli.run("schedule", "q", "second", "--id", "a", "--in", "1h", "--if-present", mode);

    assertThat(again.exitCode()).isEqualTo(exitCode);
    assertThat(show("a").get("payload").asString()).isEqualTo(payload);
  }

  @Test
  void schedule_lines_writesEachConfirmedIdInOrder() {
    String lines =
        IntStream.range(0, 5000)
            .mapToObj(i -> "{\"id\":\"line-" + i + "\",\"delay\":\"1h\",\"payload\":" + i + "}")
            .collect(Collectors.joining("\n"));

    Cli.Result result = cli.input(lines).run("schedule", "q");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out().lines())
        .containsExactlyElementsOf(IntStream.range(0, 5000).mapToObj(i -> "line-" + i).toList());
    assertThat(cli.run("stats", "q", "-o", "json").json().get("scheduled").asInt()).isEqualTo(5000);
  }

  @Test
  void schedule_linesWithoutTime_takeTheOptionsTime() {
    Cli.Result result =
        cli.input("{\"id\":\"a\",\"payload\":1}\n{\"id\":\"b\",\"delay\":\"2h\",\"payload\":1}")
            .run("schedule", "q", "--in", "1h", "-o", "ndjson");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.jsonLines()).hasSize(2);
    Instant a = Instant.parse(show("a").get("dueAt").asString());
    Instant b = Instant.parse(show("b").get("dueAt").asString());
    assertThat(Duration.between(a, b)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
  }

  @Test
  void schedule_badLines_areNamedAndTheRestIsScheduled() {
    Cli.Result result =
        cli.input("{\"payload\":1}\n{\"id\":\"b\",\"delay\":\"1h\",\"payload\":1}")
            .run("schedule", "q");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.out()).isEqualTo("b\n");
    assertThat(result.err()).startsWith("line 1 ");
  }

  @Test
  void schedule_contradictoryOptions_areWrongUsage() {
    assertThat(
            cli.run("schedule", "q", "x", "--in", "1s", "--at", "2090-01-01T00:00:00Z").exitCode())
        .isEqualTo(2);
    assertThat(cli.run("schedule", "q", "--id", "a").exitCode()).isEqualTo(2);
    assertThat(cli.run("schedule", "q", "x", "--if-present", "shrug").exitCode()).isEqualTo(2);
    assertThat(cli.run("schedule", "q", "x", "--id", "x".repeat(300)).exitCode()).isEqualTo(2);
    assertThat(cli.run("schedule", "q", "x", "--in", "P999999D").exitCode()).isEqualTo(2);
    assertThat(cli.run("schedule").exitCode()).isEqualTo(2);
  }

  @Test
  void schedule_noStoreNamed_isWrongUsageAndSaysHow() {
    Cli.Result result = new Cli().run("schedule", "q", "x");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--store", "PUNCTUAL_STORE", "config.properties");
  }

  @Test
  void schedule_linesOfTextPayloads_areStoredAsTheyWereShown() {
    cli.input("{\"id\":\"a\",\"delay\":\"1h\",\"payload\":\"hello\",\"payloadText\":true}\n")
        .run("schedule", "q");

    assertThat(cli.run("show", "q", "a", "--raw").out()).isEqualTo("hello");
    assertThat(cli.run("show", "q", "a", "-o", "json").out())
        .endsWith("\"payload\":\"hello\",\"payloadText\":true}\n");
    assertThat(
            cli.input("{\"delay\":\"1h\",\"payload\":1,\"payloadText\":true}\n")
                .run("schedule", "q")
                .err())
        .contains("its payload is not a string");
  }
}
