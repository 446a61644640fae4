package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Commands as processes in a pipe. */
@EnabledOnOs(OS.LINUX)
class PipeProcessTest {
  @TempDir private Path folder;

  private Process start(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Test
  void consume_readerEndsAndNoMessageComes_ends() throws Exception {
    String store = "journal:" + folder;
    assertThat(new Cli().run("schedule", "q", "1", "--store", store).exitCode()).isZero();
    Process consumer = start("consume", "q", "--store", store);
    try {
      assertThat(consumer.inputReader(StandardCharsets.UTF_8).readLine()).contains("\"payload\":1");

      consumer.getInputStream().close();

      assertThat(consumer.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(consumer.exitValue()).isZero();
    } finally {
      consumer.destroyForcibly();
    }
  }

  @Test
  void schedule_rawFromAPipe_storesAllBytes() throws Exception {
    String store = "journal:" + folder;
    Process schedule = start("schedule", "q", "--raw", "--id", "a", "--in", "1h", "--store", store);
    try {
      schedule.getOutputStream().write("not JSON".getBytes(StandardCharsets.UTF_8));
      schedule.getOutputStream().close();
      assertThat(schedule.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      schedule.destroyForcibly();
    }
    assertThat(new Cli().run("show", "q", "a", "--raw", "--store", store).out())
        .isEqualTo("not JSON");
  }

  @Test
  void consume_readerIsSlow_goesOn() throws Exception {
    String store = "journal:" + folder;
    Cli cli = new Cli();
    assertThat(cli.run("schedule", "q", "1", "--in", "3s", "--store", store).exitCode()).isZero();
    Process consumer = start("consume", "q", "--max", "1", "--store", store);
    try {
      assertThat(consumer.inputReader(StandardCharsets.UTF_8).readLine()).contains("\"payload\":1");
      assertThat(consumer.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      consumer.destroyForcibly();
    }
  }
}
