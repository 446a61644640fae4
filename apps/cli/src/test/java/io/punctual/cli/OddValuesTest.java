package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests values of options that are far from usual: instants, times, and texts with a dash. */
class OddValuesTest {
  private static final String FIRST = "-1000000000-01-01T00:00:00Z";
  private static final String LAST = "+1000000000-12-31T23:59:59.999999999Z";

  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  @BeforeEach
  void scheduleOne() {
    assertThat(cli.run("schedule", "q", "1", "--id", "m", "--in", "1h").exitCode()).isZero();
  }

  private void assertUsedOrRefused(String command) {
    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).as(command + ": " + result.err()).isIn(0, 2);
    assertThat(result.err()).doesNotContain("overflow", "exceeds", "Exception", "\tat ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule q x --at=",
        "schedule q x --not-after=",
        "reschedule q m --at=",
        "list q --from=",
        "list q --before=",
        "cancel q --dry-run --due-from=",
        "run-now q --dry-run --due-before=",
        "forecast q --from=",
        "dead-letters list q --died-from=",
        "dead-letters groups q --died-before=",
      })
  void firstAndLastInstant_areUsedOrRefused(String command) {
    assertUsedOrRefused(command + FIRST);
    assertUsedOrRefused(command + LAST);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule q x --in=",
        "schedule q x --remember=",
        "schedule q x --every=",
        "reschedule q m --in=",
        "reschedule q --dry-run --all --by=",
        "forecast q --within=",
        "limits q --rate 1/",
        "dead-letters retain q --yes --max-age=",
        "consume q --max 1 --exec true --exit-when-idle 1ms --lease=",
        "consume q --max 1 --exec true --exit-when-idle 1ms --retry-delay=",
        "demo --messages 1 --within=",
      })
  void longestAndNegativeTimes_areUsedOrRefused(String command) {
    assertUsedOrRefused(command + "365249d");
    assertUsedOrRefused(command + "-PT8765976H");
    assertUsedOrRefused(command + "9999999999999w");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-o", "-hidden", "--in", "--id=x", "-"})
  void valueThatBeginsWithADash_afterAnEqualsSign_isAValue(String value) {
    Cli.Result scheduled =
        cli.run("schedule", "q", "1", "--id=" + value, "--header", "a=" + value, "--in", "1h");

    assertThat(scheduled.exitCode()).as(scheduled.err()).isZero();
    assertThat(scheduled.out()).isEqualTo(value + "\n");
    assertThat(cli.run("pause", "q", "--reason=" + value).exitCode()).isZero();
    assertThat(cli.run("stats", "q").out()).contains("yes: " + value + " (");
    assertThat(cli.run("cancel", "q", "--dry-run", "--id-prefix=" + value).out()).contains("1");
    assertThat(cli.run("cancel", "q", "--", value).exitCode()).isZero();
  }

  @Test
  void optionWithoutItsValue_doesNotTakeTheNextOption() {
    Cli.Result result = cli.run("schedule", "q", "1", "--id", "--in", "1h");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("'--id'");
  }
}
