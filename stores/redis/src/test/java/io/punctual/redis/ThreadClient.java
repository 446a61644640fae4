package io.punctual.redis;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A client in a thread of the test's process. */
final class ThreadClient implements FaultClient {
  private final Path history;
  private final Thread thread;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean ready;

  ThreadClient(FaultRole role, String url, Path directory, Consumer<String> confirmed) {
    history = directory.resolve(role.name() + ".history");
    thread = new Thread(() -> role.play(url, history, () -> ready = true, confirmed), role.name());
    thread.setUncaughtExceptionHandler((unused, e) -> failure.set(e));
    thread.start();
  }

  @Override
  public Path history() {
    return history;
  }

  @Override
  public boolean isReady() {
    throwIfFailed();
    return ready;
  }

  private void throwIfFailed() {
    Throwable e = failure.get();
    if (e != null) {
      throw new AssertionError(thread.getName() + " failed", e);
    }
  }

  @Override
  public void awaitEnd() {
    try {
      thread.join(FaultPlan.LENGTH.plus(FaultPlan.PATIENCE).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    throwIfFailed();
    if (thread.isAlive()) {
      throw new AssertionError(thread.getName() + " does not end");
    }
  }

  @Override
  public void end() {
    thread.interrupt();
    awaitEnd();
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
