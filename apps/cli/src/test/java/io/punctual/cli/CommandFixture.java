package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.cli.input.RawCodec;
import io.punctual.memory.MemoryStore;
import java.time.Duration;
import tools.jackson.databind.JsonNode;

/** Commands on the queue {@code q} of a store in memory, which all commands of a test share. */
abstract class CommandFixture {
  final Cli cli = new Cli().shared(MemoryStore.builder().build());

  void schedule(String id, String in) {
    assertThat(cli.run("schedule", "q", "payload of " + id, "--id", id, "--in", in).exitCode())
        .isZero();
  }

  Delivery<byte[]> claim(Punctual punctual) {
    return punctual
        .queue("q", new RawCodec())
        .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)))
        .get(0);
  }

  void bury(String id) {
    bury(id, "no use: \u001b[2J");
  }

  void bury(String id, String reason) {
    schedule(id, "0s");
    try (Punctual punctual = cli.stores.open("")) {
      claim(punctual).bury(reason);
    }
  }

  JsonNode counts() {
    return cli.run("stats", "q", "-o", "json").json();
  }

  /** Waits until so many messages are due. */
  void awaitReady(int number) {
    await().until(() -> counts().get("ready").asInt() == number);
  }
}
