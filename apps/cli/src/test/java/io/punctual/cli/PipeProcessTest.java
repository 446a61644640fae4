package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.process.Command;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@EnabledOnOs(OS.LINUX)
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PipeProcessTest {
  @TempDir private Path folder;

  private static Process start(String... arguments) throws IOException {
    return CommandProcess.with(arguments).launch(Redirect.INHERIT);
  }

  @Test
  void consume_readerEndsAndNoMessageComes_ends() throws Exception {
    String store = "journal:" + folder;
    assertThat(new Cli().run("schedule", "q", "1", "--store", store).exitCode()).isZero();
    Process consumer = start("consume", "q", "--store", store);
    try {
      assertThat(consumer.inputReader(StandardCharsets.UTF_8).readLine()).contains("\"payload\":1");

      consumer.getInputStream().close();

      assertThat(consumer.waitFor(90, TimeUnit.SECONDS)).isTrue();
      assertThat(consumer.exitValue()).isZero();
    } finally {
      consumer.destroyForcibly();
    }
  }

  @Test
  void consumeExec_readerEnds_endsWithoutDeadLetters() throws Exception {
    String store = "journal:" + folder;
    String lines = "{\"delay\":\"0s\",\"payload\":1}\n".repeat(2000);
    assertThat(new Cli().input(lines).run("schedule", "q", "--store", store).exitCode()).isZero();
    Process consumer =
        start(
            "consume",
            "q",
            "--store",
            store,
            "--exec",
            "echo x",
            "--max-attempts",
            "1",
            "--concurrency",
            "4");
    try {
      assertThat(consumer.inputReader(StandardCharsets.UTF_8).readLine()).isEqualTo("x");

      consumer.getInputStream().close();

      assertThat(consumer.waitFor(90, TimeUnit.SECONDS)).isTrue();
      assertThat(consumer.exitValue()).isZero();
    } finally {
      consumer.destroyForcibly();
    }
    JsonNode counts = new Cli().run("stats", "q", "-o", "json", "--store", store).json();
    assertThat(counts.get("dead").asInt()).isZero();
    assertThat(counts.get("ready").asInt()).isPositive();
  }

  @Test
  void pipe_readerEndsWithTheFirstLines_ends() throws Exception {
    Path lines = folder.resolve("lines");
    String due = "{\"delay\":\"0s\",\"payload\":1}\n".repeat(3);
    Files.writeString(lines, due + "{\"delay\":\"1h\",\"payload\":2}\n");
    List<String> pipe = new ArrayList<>(List.of("/bin/sh", "-c", "\"$@\" | head -n 1", "sh"));
    pipe.addAll(
        CommandProcess.with("pipe", "--store", "journal:" + folder.resolve("store")).command());
    Process pipeline =
        Command.of(pipe).launch(Redirect.from(lines.toFile()), Redirect.PIPE, Redirect.PIPE);
    try {
      assertThat(pipeline.waitFor(90, TimeUnit.SECONDS)).isTrue();
      assertThat(pipeline.errorReader(StandardCharsets.UTF_8).lines())
          .anyMatch(line -> line.contains("punctual pipe --queue pipe-"));
    } finally {
      pipeline.descendants().forEach(ProcessHandle::destroyForcibly);
      pipeline.destroyForcibly();
    }
  }

  @Test
  void schedule_rawFromAPipe_storesAllBytes() throws Exception {
    String store = "journal:" + folder;
    Process schedule = start("schedule", "q", "--raw", "--id", "a", "--in", "1h", "--store", store);
    try {
      schedule.getOutputStream().write("not JSON".getBytes(StandardCharsets.UTF_8));
      schedule.getOutputStream().close();
      assertThat(schedule.waitFor(90, TimeUnit.SECONDS)).isTrue();
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
      assertThat(consumer.waitFor(90, TimeUnit.SECONDS)).isTrue();
    } finally {
      consumer.destroyForcibly();
    }
  }
}
