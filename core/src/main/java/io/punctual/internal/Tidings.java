package io.punctual.internal;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callbacks of a session, which run without its lock. Guarded by that lock, but for {@link #run}.
 */
final class Tidings {
  private static final Logger log = LoggerFactory.getLogger(Tidings.class);

  private final String queue;
  private List<Runnable> waiting = new ArrayList<>();

  Tidings(String queue) {
    this.queue = queue;
  }

  void add(Runnable callback) {
    waiting.add(callback);
  }

  void addAll(List<Runnable> callbacks) {
    waiting.addAll(callbacks);
  }

  /** Each callback runs on one thread, so that a caller that asks again does not run the others. */
  List<Runnable> take() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Runnable> taken = waiting;
    waiting = new ArrayList<>();
    return taken;
  }

  /** Runs callbacks that were taken; the lock is not held. */
  void run(List<Runnable> taken) {
    if (!taken.isEmpty()) {
      BlockingGuard.callbacks(() -> taken.forEach(this::run));
    }
  }

  private void run(Runnable callback) {
    try {
      callback.run();
    } catch (Throwable e) {
      log.error("A completion failed in queue {}; please report this", queue, e);
    }
  }
}
