package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the option {@code --store} at each position of the command line. */
class StorePlaceTest {
  private final Cli cli = new Cli();
  private final List<String> opened = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--store here: queues",
        "--store=here: queues",
        "queues --store here:",
        "--store there: queues --store here:",
        "--store here: dead-letters list q",
        "dead-letters --store here: list q",
        "dead-letters --store=here: list q",
        "--store there: dead-letters --store here: list q",
        "dead-letters list q --store here:",
        "--store here: pipe"
      })
  void store_anyPlace_nearestCounts(String command) {
    cli.environment.put("PUNCTUAL_STORE", "environment:");
    cli.stores =
        url -> {
          opened.add(url);
          return Punctual.open("memory:");
        };

    Cli.Result result = cli.run(command.split(" "));

    assertThat(opened).as(result.err()).containsExactly("here:");
  }

  @Test
  void store_withoutCommand_isWrongUsage() {
    assertThat(cli.run("--store", "here:").err()).contains("Which command?");
    assertThat(cli.run("--store").exitCode()).isEqualTo(2);
  }

  @Test
  void lock_storeBefore_isUsed() {
    assertThat(cli.run("lock", "--store", "memory:", "list").err()).contains("Redis store");
  }
}
