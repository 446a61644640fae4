package io.punctual.kit.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
final class JavaProcessTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private JavaProcess process;

  /** Answers each line of its input, until the end of its input. */
  static final class Echo {
    private Echo() {}

    public static void main(String[] args) throws Exception {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
      System.err.println("an error");
      System.out.println("ready " + String.join(",", args) + System.getenv("KIT_VARIABLE"));
      BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        if (line.equals("fail")) {
          throw new IllegalStateException("asked to fail");
        }
        System.out.println("echo " + line);
      }
    }
  }

  /** Starts an {@link Echo}, prints its process id, and waits. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) throws Exception {
      try (JavaProcess child = echo().ready("ready").start()) {
        System.out.println("child " + child.pid());
        int unused = System.in.read();
      }
    }
  }

  private static JavaProcess.Builder echo() {
    return JavaProcess.of(Echo.class).small();
  }

  @AfterEach
  void close() {
    if (process != null) {
      process.close();
    }
  }

  @Test
  void lines_areReadOnceAndFoundAgain(@TempDir Path folder) {
    process = echo().arguments("a", "b").environment("KIT_VARIABLE", "!").directory(folder).start();
    assertThat(process.nextLine()).isEqualTo("ready a,b!");
    process.write("one\ntwo\n");
    assertThat(process.awaitLines("echo", 2)).containsExactly("echo one", "echo two");
    assertThat(process.nextLine()).isEqualTo("echo one");
    assertThat(process.hasLine("echo three")).isFalse();
    process.closeInput();
    process.expectSuccess();
    assertThat(process.nextLine()).isEqualTo("echo two");
    assertThat(process.nextLine()).isEqualTo("hook");
    assertThat(process.nextLine()).isNull();
  }

  @Test
  void end_runsTheShutdownHooks() {
    process = echo().ready("ready").start();
    assertThat(process.end()).isEqualTo(143);
    assertThat(process.log()).contains("an error", "hook");
    assertThatThrownBy(() -> process.end()).hasMessageContaining("ended by itself");
  }

  @Test
  void kill_runsNoShutdownHooks() {
    process = echo().ready("ready").start();
    process.kill();
    assertThat(process.isAlive()).isFalse();
    assertThat(process.awaitExit()).isEqualTo(137);
    assertThat(process.log()).contains("ready").doesNotContain("hook");
  }

  @Test
  void freeze_stopsTheProcessUntilTheThaw() throws Exception {
    process = echo().ready("ready").start();
    process.freeze();
    Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
    await().atMost(LONG).until(() -> Files.readString(state).contains(") T "));
    process.write("one\n");
    assertThat(process.hasLine("echo")).isFalse();
    process.thaw();
    assertThat(process.awaitLine("echo")).isEqualTo("echo one");
  }

  @Test
  void main_throws_theOutputIsInTheFailure() {
    process = echo().ready("ready").start();
    process.write("fail\n");
    assertThat(process.awaitExit()).isEqualTo(1);
    assertThatThrownBy(() -> process.expectSuccess())
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("Echo", "exit code 1", "an error", "asked to fail");
  }

  @Test
  void ready_neverPrinted_failsWithTheOutput() {
    assertThatThrownBy(() -> echo().patience(Duration.ofSeconds(5)).ready("steady").start())
        .hasMessageContainingAll("steady", "an error");
  }

  @Test
  void parent_killed_childEnds() {
    process = JavaProcess.of(Parent.class).small().start();
    long pid = Long.parseLong(process.awaitLine("child ").substring("child ".length()));
    ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
    process.kill();
    await().atMost(LONG).until(() -> !child.isAlive());
  }

  @Test
  void command_fails_theOutputIsInTheFailure() {
    assertThat(Command.of("sh", "-c", "echo fine").run()).isEqualTo("fine\n");
    assertThatThrownBy(() -> Command.of("sh", "-c", "echo worse >&2; exit 3").run())
        .hasMessageContaining("worse");
  }
}
