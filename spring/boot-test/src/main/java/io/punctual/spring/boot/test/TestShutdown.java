package io.punctual.spring.boot.test;

import io.punctual.Worker;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.RegisteredListener;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;

/**
 * Ends listeners that do not return when the context stops. Their grace period is measured by the
 * test's clock, which no test advances any more. This bean stops before the registry of the
 * listeners. Thread-safe.
 */
final class TestShutdown implements SmartLifecycle {
  /**
   * The real time in which listeners may return, before the clock advances beyond their grace
   * period.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final Duration STEP = Duration.ofSeconds(10);
  private static final long PAUSE_MILLIS = 10;

  private final PunctualListenerRegistry registry;
  private final ManualClock clock;
  private volatile boolean running;

  TestShutdown(PunctualListenerRegistry registry, ManualClock clock) {
    this.registry = registry;
    this.clock = clock;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    List<Worker> workers =
        registry.listeners().stream()
            .map(RegisteredListener::workers)
            .flatMap(List::stream)
            .toList();
    Thread thread = new Thread(() -> end(workers), "punctual-test-shutdown");
    thread.setDaemon(true);
    thread.start();
  }

  private void end(List<Worker> workers) {
    try {
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (!haveEnded(workers)) {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        if (System.nanoTime() - deadline > 0) {
          clock.advance(STEP);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns whether all workers have ended. Every worker that is asked is closing already, so the
   * grace period of zero has no effect.
   */
  private static boolean haveEnded(List<Worker> workers) {
    return workers.stream()
        .allMatch(
            worker ->
                worker.isClosed()
                    && worker.closeAsync(Duration.ZERO).toCompletableFuture().isDone());
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PunctualListenerRegistry.PHASE + 1;
  }
}
