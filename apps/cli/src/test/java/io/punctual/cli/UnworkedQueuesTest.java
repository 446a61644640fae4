package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a queue with due messages and without a worker does not stay unseen. */
class UnworkedQueuesTest {
  private final Cli cli = new Cli().shared(MemoryStore.builder().build());

  @ParameterizedTest
  @ValueSource(strings = {"queues", "queues --sort overdue", "queues -o json", "stats ordrs"})
  void queueHasDueMessagesAndNoWorker_isNamed(String command) {
    cli.run("schedule", "soon", "x", "--in", "1h");
    cli.run("schedule", "ordrs", "x", "--at", Instant.now().minusSeconds(120).toString());

    assertThat(cli.run(command.split(" ")).err())
        .contains("no worker of any process: 'ordrs'. Is the name of the queue right?");

    cli.run("pause", "ordrs");
    assertThat(cli.run(command.split(" ")).err()).doesNotContain("no worker");
  }
}
