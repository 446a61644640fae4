package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ends servers under load. */
class ServerProcessTest {
  private static final int KILLS = Integer.getInteger("punctual.server.kills", 4);
  private final int port = FreePorts.next();

  @TempDir private Path folder;

  private String journal() {
    return "journal:" + folder.resolve("data");
  }

  private JavaProcess serve(String store) {
    return JavaProcess.of(ServerMain.class)
        .small()
        .arguments(store, Integer.toString(port))
        .ready("ready")
        .start();
  }

  private void killAndRestart(String store, int kills) throws InterruptedException {
    try (LoadClient load = new LoadClient(port, 2, 2)) {
      for (int i = 0; i < kills; i++) {
        int before = load.confirmed.size();
        try (JavaProcess server = serve(store)) {
          await().until(() -> load.confirmed.size() > before + 100);
          server.kill();
        }
      }
      try (JavaProcess server = serve(store)) {
        load.close();
        load.join();
        assertThat(load.confirmed).hasSizeGreaterThan(100 * kills);
        try (LoadClient rest = new LoadClient(port, 0, 1)) {
          await()
              .atMost(Duration.ofMinutes(2))
              .until(
                  () -> {
                    load.delivered.addAll(rest.delivered);
                    return load.hasAll();
                  });
          rest.close();
          server.terminate();
          rest.join();
        }
        assertThat(load.early).isEmpty();
        if (!store.startsWith("journal")) { // which a restart opens without any lease
          assertThat(load.duplicates).isEmpty();
        }
        assertThat(load.strange).as(server.log()).hasValue(0);
      }
    }
  }

  @Test
  @Tag("extended")
  void aServerThatIsKilled_losesNothingThatItConfirmed() throws InterruptedException {
    killAndRestart(journal(), 1);
  }

  @Test
  @Tag("extended")
  void aServerThatIsKilledManyTimes_losesNothingThatItConfirmed() throws InterruptedException {
    killAndRestart(journal(), KILLS);
  }

  @Test
  @Tag("extended")
  void aServerOnRedisThatIsKilled_losesNothingThatItConfirmed() throws InterruptedException {
    killAndRestart(RedisProcess.sharedAndEmpty().url(), 1);
  }

  @Test
  @Tag("extended")
  void aServerOnRedisThatIsKilledManyTimes_losesNothingThatItConfirmed()
      throws InterruptedException {
    killAndRestart(RedisProcess.sharedAndEmpty().url(), KILLS);
  }

  private void terminate(int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      try (JavaProcess server = serve(journal());
          LoadClient load = new LoadClient(port, 3, 3)) {
        await().until(() -> load.confirmed.size() > 200);

        int exit = server.end();

        load.join();
        assertThat(exit).isEqualTo(143);
        assertThat(load.unanswered).as(server.log()).hasValue(0);
        assertThat(load.strange).as(server.log()).hasValue(0);
      }
    }
  }

  @Test
  void aServerThatIsAskedToEnd_leavesNoRequestWithoutAnAnswer() throws InterruptedException {
    terminate(1);
  }

  @Test
  @Tag("extended")
  void aServerThatIsAskedToEndManyTimes_leavesNoRequestWithoutAnAnswer()
      throws InterruptedException {
    terminate(KILLS);
  }
}
