package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A server that can't start. */
final class FailedStartTest {

  @Test
  void portInUse_leavesNoThreads() throws IOException, InterruptedException {
    ThreadGroup group = new ThreadGroup("failed-start");
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ServerConfig.Options options =
          new ServerConfig.Options(null, "memory:", null, "127.0.0.1", used.getLocalPort());
      Throwable[] failure = new Throwable[1];
      Thread starter =
          new Thread(
              group,
              () -> {
                try (PunctualServer unused = PunctualServer.start(options, Map.of())) {
                  throw new IllegalStateException("The port is in use");
                } catch (IOException | RuntimeException e) {
                  failure[0] = e;
                }
              });
      starter.start();
      starter.join();
      assertThat(failure[0]).isInstanceOf(IOException.class);
    }
    await().untilAsserted(() -> assertThat(threads(group)).isEmpty());
  }

  /** Returns the names of the threads of Punctual in this group. */
  static List<String> threads(ThreadGroup group) {
    Thread[] threads = new Thread[group.activeCount() + 10];
    int count = group.enumerate(threads);
    return Arrays.stream(threads)
        .limit(count)
        .filter(Objects::nonNull)
        .map(Thread::getName)
        .filter(name -> name.startsWith("punctual"))
        .sorted()
        .toList();
  }
}
