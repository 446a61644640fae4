package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.process.Command;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Runs the command in the locale C, as in a container or in cron, with text beyond ASCII. */
@EnabledOnOs(OS.LINUX)
class LocaleProcessTest {
  /** Adds the letter u with two dots to a command, independent of the locale of this JVM. */
  static final List<String> WITH_UMLAUT =
      List.of("/bin/sh", "-c", "exec \"$@\" \"$(printf '\\303\\274')\"", "sh");

  @TempDir private Path folder;

  @Test
  void argumentThatTheLocaleCannotRead_isRefused() throws Exception {
    List<String> words = new ArrayList<>(WITH_UMLAUT);
    words.addAll(CommandProcess.with("schedule", "q", "1", "--store", "memory:", "--id").command());
    Path err = folder.resolve("err");

    Process process =
        Command.of(words)
            .environment("LC_ALL", "C")
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.to(err.toFile()));

    assertThat(process.getInputStream().readAllBytes()).isEmpty();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    assertThat(Files.readString(err, UTF_8))
        .contains("with UTF-8, such as C.UTF-8")
        .hasLineCount(1);
  }
}
