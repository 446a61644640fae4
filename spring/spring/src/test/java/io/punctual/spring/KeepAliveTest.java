package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests that a thread keeps the process alive for as long as it is needed. */
class KeepAliveTest {
  private final AtomicBoolean needed = new AtomicBoolean();
  private final KeepAlive keepAlive = new KeepAlive(needed::get);

  private final Set<Thread> others = Thread.getAllStackTraces().keySet();

  private List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("punctual-keep-alive"))
        .filter(thread -> !others.contains(thread))
        .toList();
  }

  @Test
  void thread_existsWhileItIsNeeded() {
    keepAlive.update();
    assertThat(threads()).isEmpty();
    needed.set(true);
    keepAlive.update();
    keepAlive.update();
    assertThat(threads()).hasSize(1).noneMatch(Thread::isDaemon);
    needed.set(false);
    keepAlive.update();
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> threads().isEmpty());
  }
}
