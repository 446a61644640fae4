package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An option without an effect is refused as a wrong use, and the message says what to do. */
class InapplicableOptionsTest {
  @TempDir Path folder;
  private final Cli cli = new Cli();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "consume q --max 0 --concurrency 2",
        "consume q --max 0 --max-attempts 2",
        "consume q --max 1 --raw -o json",
        "schedule q x --in 1h --zone Europe/Berlin",
        "schedule q x --in 1h --catch-up",
        "schedule q x --in 1h --stop-on-failure",
        "schedule q x --every 1h --zone Europe/Berlin",
        "schedule q x --in 1h --if-present replace",
        "show q a --raw -o json",
        "dead-letters delete q a --limit 3 --yes",
        "dead-letters delete q a --rate 3 --yes",
        "dead-letters delete q a --group 3 --yes",
        "dead-letters delete q a --all --yes",
        "dead-letters redrive q a b --payload x --yes",
        "dead-letters redrive q --all --payload x --yes",
        "import zset q --from redis://localhost:1 --wait w --unit ms --abort --follow",
        "import zset q --from redis://localhost:1 --wait w --unit ms --abort --dry-run",
        "import zset q --from redis://localhost:1 --wait w --unit ms --follow --dry-run",
        "import zset q --from redis://localhost:1 --wait w --unit ms --dry-run --patience 3s",
        "watch q --limit 3",
        "watch q --prefix a",
        "watch q --sort name",
        "demo --messages 1 --within 1s --json -o table",
        "queues --after a --sort ready",
        "copy --from journal:a --to journal:b --pause --unpaused",
        "pause q --prefix a",
        "server --new-token --port 3",
        "server --new-token --check",
        "purge q --state finished -o json",
      })
  void optionWithoutEffect_isRefused(String command) {
    cli.environment.put("PUNCTUAL_STORE", "journal:" + folder.resolve("s"));
    try (Punctual punctual = Punctual.open("journal:" + folder.resolve("s"))) {
      punctual.queue("q", Codec.string()).schedule(Message.of("x").id("a"));
    }

    Cli.Result result = cli.run(command.split(" "));

    assertThat(result.exitCode()).as(result.err() + result.out()).isEqualTo(2);
  }
}
