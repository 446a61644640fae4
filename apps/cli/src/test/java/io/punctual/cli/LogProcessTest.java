package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.LogOutput;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests that texts of others in logs can't control a terminal, or look like log lines. */
class LogProcessTest {
  private static final String ID = "a\u202e2J";

  @TempDir private Path folder;

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void idOfADeadLetter_isPrintedSafely() throws Exception {
    String store = "journal:" + folder.resolve("store");
    assertThat(new Cli().run("schedule", "q", "x", "--id", ID, "--store", store).exitCode())
        .isZero();
    Path err = folder.resolve("err");

    Process process =
        CommandProcess.with(
                "consume",
                "q",
                "--exec",
                "exit 3",
                "--max-attempts",
                "1",
                "--max",
                "1",
                "--store",
                store)
            .environment("LC_ALL", "C.UTF-8")
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.to(err.toFile()));

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readAllLines(err, UTF_8))
        .filteredOn(line -> line.contains("The command ended with 3"))
        .hasSize(2);
    assertThat(Files.readString(err, UTF_8))
        .contains("Message 'a\ufffd2J' in queue 'q' becomes a dead letter")
        .doesNotContain("\u202e");
  }

  @Test
  void stackTrace_keepsItsLines() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new LogOutput(bytes)) {
      new IllegalStateException("first\nERROR \u009b2J").printStackTrace(out);
      out.println((Object) null);
      out.println();
    }

    assertThat(bytes.toString(UTF_8).lines())
        .startsWith("java.lang.IllegalStateException: first", "    ERROR \ufffd2J")
        .anyMatch(line -> line.startsWith("    at io.punctual.cli.LogProcessTest."))
        .endsWith("null", "");
  }
}
