package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.cli.input.RawCodec;
import io.punctual.cli.output.Terminal;
import io.punctual.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadableOutputTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  @Test
  void list_longPayload_isCutInTablesOnly() {
    String payload = "x".repeat(5000);
    cli.run("schedule", "q", payload, "--id", "a", "--in", "1h");

    Cli.Result table = cli.run("list", "q");

    assertThat(table.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(200));
    assertThat(table.out()).contains("xxx...");
    assertThat(cli.run("list", "q", "-o", "ndjson").out()).contains(payload);
  }

  @Test
  void show_severalFailures_areOneALine() {
    cli.run("schedule", "q", "x", "--id", "a");
    try (Punctual punctual = cli.stores.open("")) {
      for (int i = 0; i < 2; i++) {
        Delivery<byte[]> delivery =
            punctual
                .queue("q", new RawCodec())
                .claim(
                    1,
                    ClaimOptions.DEFAULT
                        .lease(Duration.ofMinutes(5))
                        .maxWait(Duration.ofMinutes(1)))
                .get(0);
        delivery.retry(Duration.ZERO);
      }
    }

    assertThat(cli.run("show", "q", "a").out())
        .containsPattern("\nfailures +attempt 1 at [^\n]*\n +attempt 2 at [^\n]*\n");
  }

  @Test
  void show_payloadOfSeveralLines_cannotPassForALabel() {
    cli.run("schedule", "q", "{\"a\":\n\"state        dead\"}", "--id", "a", "--in", "1h");

    assertThat(cli.run("show", "q", "a").out()).doesNotContain("\nstate        dead");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u001b", "\u007f", "\u009b", "\u202e", "\u2066"})
  void tables_controlCharactersOfStoredTexts_areReplaced(String control) {
    cli.run("schedule", "q", "x" + control + "31m", "--id", "a" + control + "2J", "--in", "1h");

    assertThat(cli.run("list", "q").out()).doesNotContain(control).contains("a\ufffd2J");
    assertThat(cli.run("show", "q", "a" + control + "2J").out()).doesNotContain(control);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u001b", "\u007f", "\u009b", "\u202e", "\u2066"})
  void json_controlCharactersOfStoredTexts_areEscapedOnATerminalOnly(String control) {
    String id = "a" + control + "2J";
    String[] list = {"list", "q", "--state", "ready", "-o", "ndjson"};
    String[] consume = {"consume", "q", "--max", "1"};
    String[] schedule = {"schedule", "q", "\"x" + control + "31m\"", "--id", id};
    cli.terminal = new Terminal(false, true, false, false, true, 80);

    assertThat(cli.run(schedule).out()).isEqualTo("a\ufffd2J\n");
    Cli.Result listed = cli.run(list);
    Cli.Result consumed = cli.run(consume);

    assertThat(listed.out() + consumed.out()).doesNotContain(control);
    assertThat(listed.json().get("id").asString()).isEqualTo(id);
    assertThat(consumed.json().get("id").asString()).isEqualTo(id);
    cli.terminal = Terminal.NONE;
    assertThat(cli.run(schedule).out()).isEqualTo(id + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":1", "{a:1}", "[1,2", "\"open", "{} {}"})
  void schedule_brokenJson_warnsThatItBecomesText(String body) {
    Cli.Result result = cli.run("schedule", "q", body, "--in", "1h");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).contains("stored as text", "not JSON");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "1.5", "{\"a\":1}", "\"closed\"", "", "12 monkeys"})
  void schedule_textOrJson_warnsOfNothing(String body) {
    assertThat(cli.run("schedule", "q", body, "--in", "1h").err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause q", "resume q", "consume q --max 1"})
  void output_commandWritesNoData_isRefused(String command) {
    cli.run("schedule", "q", "x");

    assertThat(cli.run((command + " -o json").split(" ")).exitCode()).isEqualTo(2);
  }

  @Test
  void workers_ofAJournal_areNotTakenForNone(@TempDir Path folder) {
    String store = "journal:" + folder.resolve("data");
    new Cli().run("schedule", "q", "x", "--store", store);

    Cli.Result result = new Cli().run("workers", "--store", store);

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).contains("only to the process that has it open");
  }
}
