package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.memory.MemoryStore;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MissingQueueTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pause nosuch",
        "resume nosuch",
        "stats nosuch",
        "list nosuch",
        "show nosuch a",
        "cancel nosuch a",
        "reschedule nosuch a --in 1s",
        "run-now nosuch a",
        "forecast nosuch",
        "purge nosuch --yes",
        "dead-letters list nosuch",
        "delete nosuch --yes",
        "limits nosuch",
        "workers --queue nosuch",
        "watch nosuch",
        "dead-letters groups nosuch",
        "dead-letters retain nosuch --max-count 1 --yes",
        "dead-letters delete nosuch --all --yes",
        "dead-letters redrive nosuch --all"
      })
  void command_queueDoesNotExist_failsWithTheNamesThatExist(String command) {
    cli.run("schedule", "orders", "x");

    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("no queue 'nosuch'", "'orders'");
    assertThat(cli.run("queues", "-o", "json").json().size()).isOne();
  }

  @ParameterizedTest
  @ValueSource(strings = {"dead-letters orders", "import orders", "lock orders"})
  void group_queueWithoutACommand_namesTheCommands(String command) {
    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err())
        .contains("'punctual " + command.split(" ", -1)[0] + "' needs one of its commands first: ")
        .doesNotContain("Did you mean");
  }

  @Test
  void command_noQueues_saysSo() {
    assertThat(cli.run("stats", "nosuch").err()).contains("it has no queues");
  }

  @Test
  void consume_queueDoesNotExist_saysThatItWaits() throws Exception {
    CompletableFuture<Cli.Result> running =
        CompletableFuture.supplyAsync(() -> cli.run("consume", "later"));
    cli.stop.ask();

    Cli.Result result = running.get(60, TimeUnit.SECONDS);

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).contains("no queue 'later' yet");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stats q", "queues", "pause q", "consume q", "dead-letters list q"})
  void command_journalDoesNotExist_failsAndCreatesNoFolder(String command, @TempDir Path folder) {
    Path typo = folder.resolve("typo");
    cli.stores = Punctual::open;
    cli.environment.put("PUNCTUAL_STORE", "journal:" + typo);

    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("There is no folder " + typo);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void command_failureCausedByAnUnreachableStore_exitsWith5() {
    cli.stores =
        url -> {
          throw new PunctualException(
              "No answer for a minute", new StoreUnavailableException("refused", null));
        };

    assertThat(cli.run("stats", "q").exitCode()).isEqualTo(5);
  }

  @Test
  void schedule_journalDoesNotExist_createsIt(@TempDir Path folder) {
    cli.stores = Punctual::open;
    cli.environment.put("PUNCTUAL_STORE", "journal:" + folder.resolve("new"));

    assertThat(cli.run("schedule", "q", "x").exitCode()).isZero();
    assertThat(cli.run("stats", "q").exitCode()).isZero();
  }
}
