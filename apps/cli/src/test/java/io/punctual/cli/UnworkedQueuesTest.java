package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
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
        .contains(
            "no worker of any process: 'ordrs'. Is the name of the queue right? Programs that claim"
                + " messages without a worker are not listed.");

    cli.run("pause", "ordrs");
    assertThat(cli.run(command.split(" ")).err()).doesNotContain("no worker");
  }

  /** A consumer that claims, such as a client of the HTTP API, is no listed worker. */
  @Test
  void queueHasALeasedMessage_isNotNamed() {
    String due = Instant.now().minusSeconds(120).toString();
    cli.run("schedule", "claimed", "x", "--at", due);
    cli.run("schedule", "claimed", "x", "--at", due);
    try (Punctual consumer = cli.stores.open("")) {
      assertThat(consumer.queue("claimed", Codec.bytes()).claim(1, Duration.ofMinutes(1)))
          .hasSize(1);

      assertThat(cli.run("queues").err()).doesNotContain("no worker");
    }
  }
}
