package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tests the options of {@code consume --exec}, and its failures. */
class ExecOptionsTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  private Cli.Result consume(String... options) {
    String[] args = new String[options.length + 4];
    System.arraycopy(new String[] {"consume", "q", "--exit-when-idle", "200ms"}, 0, args, 0, 4);
    System.arraycopy(options, 0, args, 4, options.length);
    return cli.run(args);
  }

  private JsonNode show() {
    return cli.run("show", "q", "a", "-o", "json").json();
  }

  @Test
  void maxAttemptsAndRetryDelay_failingCommand_isDeadAfterThem() {
    cli.run("schedule", "q", "x", "--id", "a");

    Cli.Result result =
        consume("--exec", "exit 3", "--max-attempts", "3", "--retry-delay", "1ms,2ms");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.err()).contains("attempt 3: The command ended with 3");
    assertThat(show().get("state").asString()).isEqualTo("DEAD");
    assertThat(show().get("attempts").asInt()).isEqualTo(3);
  }

  @Test
  void retryDelay_long_leavesTheMessageScheduled() {
    cli.run("schedule", "q", "x", "--id", "a");

    consume("--exec", "exit 3", "--retry-delay", "1h");

    assertThat(show().get("state").asString()).isEqualTo("SCHEDULED");
    assertThat(show().get("attempts").asInt()).isOne();
  }

  @Test
  void failure_commandWroteErrors_keepsItsLastLines() {
    cli.run("schedule", "q", "x", "--id", "a");

    Cli.Result result =
        consume(
            "--exec", "for i in 1 2 3 4; do echo line $i >&2; done; exit 7", "--max-attempts", "1");

    assertThat(result.err().lines())
        .containsSubsequence("line 1", "line 2", "line 3", "line 4")
        .contains("Message 'a', attempt 1: The command ended with 7: line 2; line 3; line 4");
    assertThat(show().get("reason").asString())
        .isEqualTo("The command ended with 7: line 2\nline 3\nline 4");
  }

  @Test
  void success_commandWroteErrors_passesThemOn() {
    cli.run("schedule", "q", "x", "--id", "a");

    assertThat(consume("--exec", "echo note >&2").err()).isEqualTo("note\n");
  }

  @Test
  void raw_jsonString_reachesTheCommandQuoted() {
    cli.run("schedule", "q", "\"x\"", "--id", "a");

    assertThat(consume("--raw", "--exec", "cat >&2").err()).isEqualTo("\"x\"\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--concurrency 2",
        "--max-attempts 2",
        "--retry-delay 1s",
        "--exec true --concurrency 0",
        "--exec true --max-attempts 0",
        "--exec true --retry-delay 400000d",
        "--lease 1ms",
        "--lease 31d"
      })
  void options_outOfRangeOrWithoutCommand_areWrongUsage(String options) {
    Cli.Result result = consume(options.split(" "));

    assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
  }
}
