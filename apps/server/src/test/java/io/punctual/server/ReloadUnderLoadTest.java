package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reloads a server again and again while programs use it. */
class ReloadUnderLoadTest {
  @TempDir private Path folder;

  private void reload(int times) throws InterruptedException {
    try (TestServer server = TestServer.start(folder, "");
        LoadClient load = new LoadClient(server.port(), 2, 2)) {
      await().until(() -> load.confirmed.size() > 10);
      for (int i = 0; i < times; i++) {
        assertThat(server.reload("limits: {pollsPerCaller: " + (100 + i % 2) + "}")).isTrue();
        assertThat(server.reload("limits: {pollsPerCaller: wrong}")).isFalse();
      }
      int before = load.confirmed.size();
      await().until(() -> load.confirmed.size() > before + 10);
      load.endProducers();
      await().until(load::hasAll);
      load.close();
      server.close();
      load.join();
      assertThat(load.unanswered).hasValue(0);
      assertThat(load.strange).hasValue(0);
      assertThat(load.early).isEmpty();
    }
  }

  @Test
  void aReloadEndsNoRequest() throws InterruptedException {
    reload(20);
  }

  @Test
  @Tag("extended")
  void aThousandReloadsEndNoRequest() throws InterruptedException {
    reload(1_000);
  }
}
