package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Command;

/** Tests the completion script and the manual page. */
class ShellFilesTest {
  private final Cli cli = new Cli();

  @TempDir private Path folder;

  @Test
  void completion_offersValuesAsTheHelpWritesThem() {
    Cli.Result result = cli.run("generate-completion");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out())
        .startsWith("#!/usr/bin/env bash")
        .contains("\"scheduled\" \"ready\"", "\"ndjson\"", "\"replace\"", "\"read-write\"")
        .doesNotContain("SCHEDULED", "NDJSON", "REPLACE", "READ_WRITE");
  }

  @ParameterizedTest
  @CsvSource({
    "'list q --state ', scheduled ready leased dead finished",
    "'dead-letters r', redrive retain",
    "'stats q -o ', table json ndjson",
    "'wat', watch"
  })
  @DisabledOnOs(OS.WINDOWS)
  void completion_inBash_completes(String typed, String offered) throws Exception {
    Path script = Files.writeString(folder.resolve("c"), cli.run("generate-completion").out());
    String[] words = ("punctual " + typed).split(" ", -1);
    Process bash =
        io.punctual.kit.process.Command.of(
                Stream.concat(
                        Stream.of(
                            "bash",
                            "-c",
                            ". \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
                                + " _complete_punctual; echo \"${COMPREPLY[@]}\"",
                            script.toString()),
                        Stream.of(words))
                    .toList())
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.DISCARD);
    String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(bash.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(List.of(out.strip().split(" +"))).containsExactlyInAnyOrder(offered.split(" "));
  }

  @Test
  void manPage_hasEveryCommandAndOption() {
    Cli.Result result = cli.run("generate-man-page");

    assertThat(result.exitCode()).as(result.err()).isZero();
    assertThat(result.out())
        .startsWith(".TH PUNCTUAL 1")
        .contains(
            ".SS punctual dead\\-letters redrive\n",
            ".B \\-\\-store URL\n",
            """
            .B \\-\\-state STATE
            scheduled, ready, leased, dead or finished (default: scheduled).
            """,
            ".SH EXIT STATUS\n",
            ".B PUNCTUAL_STORE\n")
        .doesNotContain("${", "%n");
    for (Class<?> command : PunctualCommand.COMMANDS) {
      String name = command.getAnnotation(Command.class).name().replace("-", "\\-");
      assertThat(result.out()).contains(".SS punctual " + name + "\n");
    }
  }
}
