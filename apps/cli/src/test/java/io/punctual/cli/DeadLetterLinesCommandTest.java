package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.cli.input.RawCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports dead letters of a journal, and imports them into tables of H2. */
class DeadLetterLinesCommandTest {
  @TempDir private Path folder;
  private String journal = "";
  private String tables = "";

  @BeforeEach
  void bury() {
    journal = "journal:" + folder.resolve("data");
    tables = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true";
    try (Punctual punctual = Punctual.open(journal)) {
      TimedQueue<byte[]> queue = punctual.queue("orders", new RawCodec());
      for (int i = 0; i < 5; i++) {
        byte[] payload = ("{\"n\": " + i + "}").getBytes(StandardCharsets.UTF_8);
        queue.schedule(Message.of(payload).id("order-" + i));
        queue.claim(1, Duration.ofMinutes(1)).get(0).bury(i < 2 ? "refused" : "lost");
      }
    }
  }

  private static Cli.Result run(int exitCode, Cli cli, String... args) {
    Cli.Result result = cli.run(args);
    assertThat(result.exitCode()).as("%s: %s", String.join(" ", args), result).isEqualTo(exitCode);
    return result;
  }

  private Cli.Result export(String... options) {
    String[] args = new String[5 + options.length];
    System.arraycopy(
        new String[] {"dead-letters", "export", "orders", "--store", journal}, 0, args, 0, 5);
    System.arraycopy(options, 0, args, 5, options.length);
    return run(0, new Cli(), args);
  }

  private Cli.Result load(int exitCode, String input, String... options) {
    String[] args = new String[5 + options.length];
    System.arraycopy(
        new String[] {"dead-letters", "import", "orders", "--store", tables}, 0, args, 0, 5);
    System.arraycopy(options, 0, args, 5, options.length);
    return run(exitCode, new Cli().input(input), args);
  }

  @Test
  void export_thenImport_isRepeatable() {
    Cli.Result exported = export();
    assertThat(exported.jsonLines()).hasSize(5);
    assertThat(exported.jsonLines().get(1).get("id").asString()).isEqualTo("order-1");
    assertThat(exported.jsonLines().get(1).get("reason").asString()).isEqualTo("refused");
    assertThat(exported.jsonLines().get(1).get("payload").get("n").asInt()).isOne();
    assertThat(exported.err()).contains("Exported 5 dead letters");

    assertThat(load(0, exported.out()).out()).containsPattern("stored +5\npresent +0\nrefused +0");
    assertThat(load(0, exported.out(), "-o", "json").json().get("present").asInt()).isEqualTo(5);
    String shown = run(0, new Cli(), "show", "orders", "order-4", "--store", tables).out();
    assertThat(shown).contains("dead", "lost", "{\"n\": 4}");
    assertThat(
            run(0, new Cli(), "dead-letters", "groups", "orders", "--store", tables, "-o", "ndjson")
                .jsonLines())
        .extracting(group -> group.get("count").asInt())
        .containsExactly(3, 2);
  }

  @Test
  void export_options_selectDeadLetters() {
    assertThat(export("--failure", "refused").jsonLines()).hasSize(2);
    assertThat(export("--limit", "3").jsonLines()).hasSize(3);
    assertThat(export("--id-prefix", "order-4").jsonLines()).hasSize(1);
  }

  @Test
  void import_badLine_isNamedAndTheRestIsStored() {
    String exported = export().out();
    Cli.Result loaded = load(1, "no json\n\n" + exported);
    assertThat(loaded.err()).startsWith("line 1 is not JSON");
    assertThat(loaded.out()).containsPattern("stored +5\npresent +0\nrefused +1");
  }

  @Test
  void import_liveMessage_isNotOverwritten() {
    try (Punctual punctual = Punctual.open(tables)) {
      punctual
          .queue("orders", Codec.string())
          .schedule(Message.of("live").id("order-3").dueIn(Duration.ofHours(1)));
    }
    Cli.Result loaded = load(1, export().out());
    assertThat(loaded.err()).contains("line 4 has the id 'order-3' of a message that is SCHEDULED");
    assertThat(loaded.out()).containsPattern("stored +4\npresent +0\nrefused +1");
    assertThat(run(0, new Cli(), "show", "orders", "order-3", "--store", tables).out())
        .contains("live");
  }

  @Test
  void import_textThatIsNoNameOfAQueue_isWrongUsageAndMakesNoQueue() {
    String exported = export().out();
    for (String name : new String[] {"my orders", "{a}:b", ""}) {
      Cli.Result result =
          run(2, new Cli().input(exported), "dead-letters", "import", name, "--store", tables);
      assertThat(result.err()).contains("A queue's name has");
    }
    assertThat(run(0, new Cli(), "queues", "--store", tables, "-o", "json").json()).isEmpty();
  }

  @Test
  void import_dryRun_storesNothing() {
    String exported = export().out();
    run(0, new Cli(), "schedule", "orders", "1", "--id", "other", "--store", tables);
    assertThat(load(0, exported, "--dry-run").out())
        .containsPattern("storable +5\npresent +0\nrefused +0");
    assertThat(run(0, new Cli(), "stats", "orders", "--store", tables).out())
        .containsPattern("dead +0");
  }

  @Test
  void export_queueIsMissing_namesTheQueues() {
    Cli.Result result = run(3, new Cli(), "dead-letters", "export", "nowhere", "--store", journal);
    assertThat(result.err()).contains("no queue 'nowhere'", "'orders'");
    String missing = "journal:" + folder.resolve("missing");
    run(1, new Cli(), "dead-letters", "export", "orders", "--store", missing);
    run(1, new Cli(), "dead-letters", "import", "orders", "--dry-run", "--store", missing);
    assertThat(folder.resolve("missing")).doesNotExist();
  }
}
