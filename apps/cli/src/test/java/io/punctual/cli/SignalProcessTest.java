package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Reader;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests commands as processes that a signal ends, as Ctrl-C does. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SignalProcessTest {
  private static final int TERMINATED = 143;

  @TempDir private Path folder;
  private @Nullable Process process;

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  private Process start(List<String> options, String... arguments) throws IOException {
    Process started = CommandProcess.with(options, arguments).launch(Redirect.PIPE);
    process = started;
    return started;
  }

  private String store() {
    return "journal:" + folder.resolve("store");
  }

  /**
   * Expects SIGTERM to end the process within 20 seconds. A shutdown that waits for the command
   * would take 30 seconds.
   */
  private static void assertEndsAtOnce(Process process) throws InterruptedException {
    assertThat(process.toHandle().destroy()).isTrue();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(TERMINATED);
  }

  private static void awaitText(Reader reader, String text) throws IOException {
    StringBuilder seen = new StringBuilder();
    while (seen.indexOf(text) < 0) {
      int c = reader.read();
      assertThat(c).as(seen.toString()).isNotNegative();
      seen.append((char) c);
    }
  }

  @Test
  void schedule_terminatedWhileItReads_endsAndHasWrittenTheIdOfEachMessage() throws Exception {
    Process schedule = start(List.of(), "schedule", "q", "--store", store());
    schedule
        .getOutputStream()
        .write("{\"id\":\"a\",\"delay\":\"1h\",\"payload\":1}\n".getBytes(UTF_8));
    schedule.getOutputStream().flush();
    assertThat(schedule.inputReader(UTF_8).readLine()).isEqualTo("a");

    assertEndsAtOnce(schedule);

    assertThat(schedule.errorReader(UTF_8).readLine()).startsWith("Interrupted");
    assertThat(new Cli().run("show", "q", "a", "--store", store()).exitCode()).isZero();
  }

  @Test
  void purge_terminatedAtItsQuestion_ends() throws Exception {
    new Cli().run("schedule", "q", "1", "--in", "1h", "--store", store());
    List<String> onTerminal = List.of("-Dpunctual.terminal=in err");
    Process purge = start(onTerminal, "purge", "q", "--store", store());
    awaitText(purge.errorReader(UTF_8), "[y/N]");

    assertEndsAtOnce(purge);

    Cli.Result counts = new Cli().run("stats", "q", "-o", "json", "--store", store());
    assertThat(counts.json().get("scheduled").asInt()).isOne();
  }

  @Test
  void pipeStrict_terminatedWhileItReads_endsAndLeavesNoFile() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Process pipe = start(List.of("-Djava.io.tmpdir=" + temporary), "pipe", "--strict");
    pipe.getOutputStream().write("nonsense\n".getBytes(UTF_8));
    pipe.getOutputStream().flush();
    awaitText(pipe.errorReader(UTF_8), "line 1");

    assertEndsAtOnce(pipe);

    assertThat(temporary).isEmptyDirectory();
  }
}
