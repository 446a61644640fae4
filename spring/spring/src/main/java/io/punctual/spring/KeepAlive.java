package io.punctual.spring;

import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the process alive, with a thread that is not a daemon. The threads of workers are daemons,
 * so a process without a web server would end after its start. Safe for use by many threads.
 */
final class KeepAlive {
  private final BooleanSupplier needed;
  private @Nullable CountDownLatch end;

  KeepAlive(BooleanSupplier needed) {
    this.needed = needed;
  }

  /**
   * Starts the thread if it is needed, and ends it if it is not. Reads the condition under the
   * monitor, so that the latest value wins if calls are concurrent.
   */
  synchronized void update() {
    CountDownLatch running = end;
    if (needed.getAsBoolean() && running == null) {
      CountDownLatch latch = new CountDownLatch(1);
      Thread thread = new Thread(() -> await(latch), "punctual-keep-alive");
      thread.setDaemon(false);
      thread.start();
      end = latch;
    } else if (!needed.getAsBoolean() && running != null) {
      running.countDown();
      end = null;
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      await(latch);
    }
  }
}
