package io.punctual.cli.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class ChildCommandTest {
  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private ChildCommand start(String command, byte[] input) throws Exception {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            new Stdout(OutputStream.nullOutputStream()),
            new PrintWriter(err),
            Terminal.NONE,
            Map.of(),
            Punctual::open,
            new Stop());
    return ChildCommand.start(console, command, Map.of("FOLDER", folder.toString()), input);
  }

  private ProcessHandle awaitProcess(String name) throws Exception {
    Path file = folder.resolve(name);
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
    return ProcessHandle.of(Long.parseLong(Files.readString(file).strip())).orElseThrow();
  }

  @Test
  void close_commandRuns_endsItsProcessesAndStartsNoFurther() throws Exception {
    ChildCommand child =
        start("sh -c 'echo $$ > $FOLDER/pid; exec sleep 600'; touch $FOLDER/next", new byte[0]);
    ProcessHandle grandchild = awaitProcess("pid");

    child.close();

    await().atMost(Duration.ofMinutes(1)).until(() -> !grandchild.isAlive());
    assertThat(child.await()).isNotZero();
    assertThat(folder.resolve("next")).doesNotExist();
  }

  @Test
  void close_processIgnoresTheSignal_isKilled() throws Exception {
    ChildCommand child =
        start("trap '' TERM; echo $$ > $FOLDER/pid; while true; do sleep 0.1; done", new byte[0]);
    ProcessHandle shell = awaitProcess("pid");

    child.close();

    await().atMost(Duration.ofMinutes(1)).until(() -> !shell.isAlive());
  }

  @Test
  void start_commandDoesNotReadALargeInput_canBeClosed() throws Exception {
    ChildCommand child = start("echo $$ > $FOLDER/pid; exec sleep 600", new byte[1 << 20]);
    ProcessHandle command = awaitProcess("pid");

    child.close();

    await().atMost(Duration.ofMinutes(1)).until(() -> !command.isAlive());
  }

  @Test
  void errors_lineWithoutAnEnd_isPassedOnInParts() throws Exception {
    try (ChildCommand child =
        start("head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2", new byte[0])) {
      assertThat(child.await()).isZero();

      assertThat(child.lastErrors()).endsWith("end");
      assertThat(err.toString().lines())
          .allSatisfy(line -> assertThat(line).hasSizeLessThan(10_000));
    }
  }

  @Test
  void errors_lineEndsOfAnyKind_areNotCountedTwice() throws Exception {
    try (ChildCommand child = start("printf 'a\\r\\nb\\rc\\n' >&2", new byte[0])) {
      assertThat(child.await()).isZero();

      assertThat(child.lastErrors()).isEqualTo("a\nb\nc");
    }
  }
}
