package io.punctual.spring.boot.autoconfigure;

import io.punctual.spring.PunctualListenerRegistry;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps the process alive while it has listeners: the threads of workers are daemons, so a process
 * without a web server would end after its start. Safe for use by many threads.
 */
final class ListenerKeepAlive implements SmartLifecycle {
  private final PunctualListenerRegistry registry;
  private @Nullable CountDownLatch stop;

  ListenerKeepAlive(PunctualListenerRegistry registry) {
    this.registry = registry;
  }

  @Override
  public synchronized void start() {
    if (stop == null && !registry.listeners().isEmpty()) {
      CountDownLatch latch = new CountDownLatch(1);
      Thread thread = new Thread(() -> await(latch), "punctual-keep-alive");
      thread.setDaemon(false);
      thread.start();
      stop = latch;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      await(latch);
    }
  }

  @Override
  public synchronized void stop() {
    CountDownLatch latch = stop;
    stop = null;
    if (latch != null) {
      latch.countDown();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return stop != null;
  }

  @Override
  public int getPhase() {
    return PunctualListenerRegistry.PHASE;
  }
}
