package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.cli.output.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalCommandTest {
  @TempDir private Path folder;

  private final Cli cli = new Cli();

  @BeforeEach
  void fill() {
    for (String id : List.of("a", "b", "c")) {
      Cli.Result result =
          cli.run(
              "schedule", "q", "\"of " + id + "\"", "--in", "1h", "--id", id, "--store", store());
      assertThat(result.exitCode()).as(result.err()).isZero();
    }
  }

  private String store() {
    return "journal:" + folder;
  }

  private List<Path> segments() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("segment-.*\\.log"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Flips a byte in the payload of the first message, which compaction may have moved to any
   * segment. Returns the name of the segment's file.
   */
  private String damage() throws IOException {
    for (Path segment : segments()) {
      byte[] bytes = Files.readAllBytes(segment);
      int place = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("of a");
      if (place >= 0) {
        bytes[place] ^= 1;
        Files.write(segment, bytes);
        return segment.getFileName().toString();
      }
    }
    throw new AssertionError("no segment has the payload");
  }

  private List<String> ids() {
    return cli.run("list", "q", "-o", "ndjson", "--store", store()).jsonLines().stream()
        .map(line -> line.get("id").asString())
        .sorted()
        .toList();
  }

  @Test
  void verify_sound_saysSo() {
    Cli.Result result = cli.run("journal", "verify", folder.toString(), "-o", "json");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.json().size()).isZero();
    assertThat(result.err()).contains("all as it was written");
  }

  @Test
  void verify_byteFlipped_namesFileAndByteAndFails() throws IOException {
    String file = damage();

    Cli.Result json = cli.run("journal", "verify", folder.toString(), "-o", "ndjson");
    Cli.Result table = cli.run("journal", "verify", "journal:" + folder);

    assertThat(json.exitCode()).isEqualTo(1);
    assertThat(json.jsonLines()).hasSize(1);
    assertThat(json.jsonLines().get(0).get("file").asString()).isEqualTo(file);
    assertThat(json.jsonLines().get(0).get("offset").asLong()).isPositive();
    assertThat(table.exitCode()).isEqualTo(1);
    assertThat(table.out()).contains("FILE", file, "checksum");
    assertThat(table.err()).contains("punctual journal repair");
  }

  @Test
  void otherCommand_damaged_saysWhatRepairWouldKeep() throws IOException {
    String file = damage();
    // Without the hint file, the start reads the segment and finds the damage. With the hint file,
    // only a read of the damaged message would fail.
    Files.deleteIfExists(folder.resolve(file.replace(".log", ".hint")));

    Cli.Result result = cli.run("queues", "--store", store());

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains(file, "at byte", "punctual journal repair");
  }

  @Test
  void repair_withYes_keepsTheRestAndACopy() throws IOException {
    String file = damage();

    Cli.Result result = cli.run("journal", "repair", folder.toString(), "--yes", "-o", "ndjson");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.jsonLines()).hasSize(1);
    assertThat(result.jsonLines().get(0).get("file").asString()).isEqualTo(file);
    assertThat(result.jsonLines().get(0).get("lostBytes").asLong()).isPositive();
    assertThat(result.err()).contains(file + " at byte", "repaired");
    assertThat(folder.resolve(file + ".damaged")).exists();
    assertThat(ids()).containsExactly("b", "c");
    assertThat(cli.run("journal", "verify", folder.toString()).exitCode()).isZero();
  }

  @Test
  void repair_withoutTerminalOrYes_isWrongUsage() throws IOException {
    damage();

    assertThat(cli.run("journal", "repair", folder.toString()).exitCode()).isEqualTo(2);
  }

  @Test
  void repair_answeredNo_changesNothing() throws IOException {
    damage();
    cli.terminal = new Terminal(true, true, true, false, true, 80);

    Cli.Result result = cli.input("n\n").run("journal", "repair", folder.toString());

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("Nothing was changed");
    assertThat(cli.run("journal", "verify", folder.toString()).exitCode()).isEqualTo(1);
  }

  @Test
  void repair_sound_doesNothing() {
    Cli.Result result = cli.run("journal", "repair", folder.toString(), "--yes");

    assertThat(result.exitCode()).isZero();
    assertThat(result.err()).contains("nothing was changed");
    assertThat(ids()).containsExactly("a", "b", "c");
  }

  @Test
  void stats_threeMessages_countsThem() {
    Cli.Result json = cli.run("journal", "stats", folder.toString(), "-o", "json");
    Cli.Result table = cli.run("journal", "stats", folder.toString());

    assertThat(json.exitCode()).as(json.err()).isZero();
    assertThat(json.json().get("waiting").asLong()).isEqualTo(3);
    assertThat(json.json().get("queues").asInt()).isEqualTo(1);
    assertThat(json.json().get("closed").asBoolean()).isTrue();
    assertThat(json.json().get("bytes").asLong())
        .isGreaterThan(json.json().get("neededBytes").asLong());
    assertThat(table.out()).contains("waiting", "3");
  }

  @Test
  void tool_journalIsOpen_isRefusedWithThePid() {
    try (Punctual open = Punctual.open(store())) {
      Cli.Result result = cli.run("journal", "verify", folder.toString());

      assertThat(open.store()).isEqualTo(store());
      assertThat(result.exitCode()).isEqualTo(5);
      assertThat(result.err()).contains("pid " + ProcessHandle.current().pid());
    }
  }

  @Test
  void tool_noJournalThere_leavesTheFolderAlone(@TempDir Path empty) {
    Cli.Result result = cli.run("journal", "stats", empty.toString());

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.err()).contains("no journal in " + empty);
    assertThat(empty).isEmptyDirectory();
    assertThat(cli.run("journal", "verify", empty + "/none").exitCode()).isEqualTo(1);
  }

  @Test
  void store_isAFile_saysSo() throws IOException {
    Path file = Files.writeString(folder.resolve("passwd"), "x");

    for (String command : List.of("queues", "schedule q x")) {
      Cli.Result result = cli.run((command + " --store journal:" + file).split(" "));

      assertThat(result.exitCode()).isEqualTo(1);
      assertThat(result.err()).contains(file + " is a file; a journal is a folder");
    }
  }
}
