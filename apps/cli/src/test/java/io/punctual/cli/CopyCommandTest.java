package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies from a journal to tables of H2, and from the tables to a second journal. */
class CopyCommandTest {
  private final Cli cli = new Cli();

  @TempDir private Path folder;
  private String journal = "";
  private String tables = "";

  @BeforeEach
  void schedule() {
    journal = "journal:" + folder.resolve("data");
    tables = "jdbc:h2:" + folder.resolve("shop") + "?createTables=true";
    for (String id : new String[] {"a", "b", "c"}) {
      run(
          0,
          "--store",
          journal,
          "schedule",
          "orders",
          "payload of " + id,
          "--id",
          id,
          "--in",
          "1h");
    }
    run(0, "--store", journal, "schedule", "mails", "hello", "--id", "x");
  }

  private Cli.Result run(int exitCode, String... args) {
    Cli.Result result = cli.run(args);
    assertThat(result.exitCode()).as("%s: %s", String.join(" ", args), result).isEqualTo(exitCode);
    return result;
  }

  @Test
  @Tag("extended")
  void copy_allQueuesThereAndBack_areInTheOtherStore() {
    Cli.Result copied = run(0, "copy", "--from", journal, "--to", tables);
    assertThat(copied.out())
        .containsPattern("QUEUE +MESSAGES +REMEMBERED +STORED +PRESENT +DIFFERENT +PAUSED\n")
        .containsPattern("mails +1 +0 +1 +0 +0 +no\n")
        .containsPattern("orders +3 +0 +3 +0 +0 +no\n");
    assertThat(copied.err()).isEmpty();
    assertThat(run(0, "--store", tables, "show", "orders", "b").out()).contains("payload of b");

    String again = "journal:" + folder.resolve("again");
    assertThat(run(1, "copy", "--from", tables, "--to", again).err())
        .contains("not paused", "nothing was copied");
    Cli.Result back =
        run(
            0, "copy", "--from", tables, "--to", again, "--queue", "orders", "--pause", "-o",
            "json");
    assertThat(back.json().get(0).get("stored").asInt()).isEqualTo(3);
    assertThat(back.json().get(0).get("paused").asBoolean()).isTrue();
    assertThat(back.err()).contains("resume");
    assertThat(run(0, "--store", again, "queues").out()).contains("orders").doesNotContain("mails");
    assertThat(run(0, "--store", tables, "stats", "orders").out()).containsPattern("paused +yes");
  }

  @Test
  @Tag("extended")
  void copy_targetHasMessages_needsContinueOrMerge() {
    run(0, "copy", "--from", journal, "--to", tables);
    assertThat(run(1, "copy", "--from", journal, "--to", tables).err())
        .contains("continue", "merge");
    assertThat(run(0, "copy", "--from", journal, "--to", tables, "--continue").out())
        .containsPattern("orders +3 +0 +0 +3 +0 +no\n");

    run(0, "--store", tables, "cancel", "orders", "a");
    run(0, "--store", tables, "schedule", "orders", "other", "--id", "z", "--in", "2h");
    Cli.Result different = run(1, "copy", "--from", journal, "--to", tables, "--continue");
    assertThat(different.out()).containsPattern("orders +3 +0 +1 +2 +1 +yes\n");
    assertThat(different.err()).contains("orders: 'z' is not in the source", "paused");

    Cli.Result merged = run(0, "copy", "--from", journal, "--to", tables, "--merge");
    assertThat(merged.out()).containsPattern("orders +3 +0 +0 +3 +0 +yes\n");
  }

  @Test
  void copy_queueDoesNotExist_namesTheQueuesThatExist() {
    assertThat(run(3, "copy", "--from", journal, "--to", tables, "--queue", "order").err())
        .contains("no queue 'order'", "nothing was copied", "it has 'mails', 'orders'");
  }

  @Test
  void copy_sourceWithoutQueues_saysSo() {
    String empty = "jdbc:h2:" + folder.resolve("empty") + "?createTables=true";

    assertThat(run(3, "copy", "--from", empty, "--to", tables).err())
        .contains("has no queues; nothing was copied");
  }

  @Test
  void copy_wrongUsage_isNamed() {
    assertThat(run(2, "copy", "--from", journal).err()).contains("--to");
    assertThat(run(2, "copy", "--from", journal, "--to", journal).err()).contains("same store");
    assertThat(run(2, "copy", "--from", journal, "--to", tables, "--pause", "--unpaused").err())
        .contains("contradict");
    assertThat(run(2, "copy", "--from", journal, "--to", tables, "--merge", "--continue").err())
        .contains("contradict");
    assertThat(run(2, "copy", "--from", "nonsense:", "--to", tables).err()).contains("nonsense");
    assertThat(run(1, "copy", "--from", "journal:" + folder.resolve("no"), "--to", tables).err())
        .contains("There is no folder");
    assertThat(folder.resolve("no")).doesNotExist();
    assertThat(
            run(3, "copy", "--from", journal, "--to", tables, "--queue", "orders", "--queue", "no")
                .err())
        .contains("no queue 'no'");
    assertThat(Files.exists(folder.resolve("data"))).isTrue();
  }
}
