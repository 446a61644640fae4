package io.punctual.kit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the starter of servers with a script that has a child process, and writes its starts. */
@EnabledOnOs(OS.LINUX)
final class ServerProcessTest {
  private static final String SCRIPT =
      "echo started $VALUE; echo $$ >> starts; sleep 1000 & echo $! > child; : > ready; wait";
  private static final Duration LONG = Duration.ofSeconds(60);

  private final Path folder = Folders.create("server-test");
  private ServerProcess server;

  private ServerProcess.Builder script(String script) {
    return ServerProcess.builder("script")
        .folder(folder)
        .environment(Map.of("VALUE", "42"))
        .command(List.of("sh", "-c", script));
  }

  private ServerProcess start() {
    server = script(SCRIPT).ready(() -> Files.deleteIfExists(folder.resolve("ready"))).start();
    return server;
  }

  private ProcessHandle child() throws Exception {
    return ProcessHandle.of(Long.parseLong(Files.readString(folder.resolve("child")).strip()))
        .orElseThrow();
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    Folders.delete(folder);
  }

  @Test
  void restart_afterKill_keepsTheFolder() throws Exception {
    start();
    ProcessHandle child = child();
    assertThatThrownBy(server::restart).hasMessageContaining("is running");
    server.kill();
    assertThat(server.isRunning()).isFalse();
    assertThat(child.isAlive()).isFalse();
    server.restart();
    assertThat(server.isRunning()).isTrue();
    assertThat(Files.readAllLines(folder.resolve("starts")))
        .hasSize(2)
        .endsWith(Long.toString(server.pid()));
    assertThat(server.log()).isEqualTo("started 42\nstarted 42\n");
  }

  @Test
  void freeze_stopsTheChildProcesses_too() throws Exception {
    start();
    ProcessHandle child = child();
    server.freeze();
    await().atMost(LONG).until(() -> isStopped(server.pid()) && isStopped(child.pid()));
    server.thaw();
    await().atMost(LONG).until(() -> !isStopped(server.pid()) && !isStopped(child.pid()));
  }

  private static boolean isStopped(long pid) throws Exception {
    return Files.readString(Path.of("/proc", Long.toString(pid), "stat")).contains(") T ");
  }

  @Test
  void close_endsTheServerAndDeletesTheFolder() {
    start().close();
    assertThat(folder).doesNotExist();
    server.close();
  }

  @Test
  void start_serverEnds_theOutputIsInTheFailure() {
    assertThatThrownBy(() -> script("echo no space; exit 1").ready(() -> false).start())
        .hasMessageContaining("no space");
    assertThat(folder).doesNotExist();
  }

  @Test
  void stop_letsTheServerShutDown() {
    server =
        script("trap 'echo bye; exit 0' TERM; sleep 1000 & : > ready; wait")
            .ready(() -> Files.exists(folder.resolve("ready")))
            .start();
    ProcessHandle child = ProcessHandle.of(server.pid()).orElseThrow().children().findAny().get();
    server.stop();
    assertThat(server.log()).isEqualTo("bye\n");
    child.destroyForcibly();
  }
}
