package io.punctual.internal.session;

import io.punctual.internal.runtime.BlockingGuard;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callbacks of a session, collected under its lock and run without it. Guarded by that lock, except
 * {@link #run}.
 */
final class Notices {
  private static final Logger log = LoggerFactory.getLogger(Notices.class);

  private final String queue;
  private List<Runnable> collected = new ArrayList<>();

  Notices(String queue) {
    this.queue = queue;
  }

  void add(Runnable callback) {
    collected.add(callback);
  }

  void addAll(List<Runnable> callbacks) {
    collected.addAll(callbacks);
  }

  /** Notifies the caller of an operation or claim that it ends without an answer. */
  void fail(Pending pending, EndReason reason) {
    RuntimeException failure = reason.exception(pending, queue);
    collected.add(() -> pending.failed(failure));
  }

  /** Notifies the callers of everything that a call carries. */
  void fail(InFlightCall call, EndReason reason) {
    call.operations().forEach(operation -> fail(operation, reason));
    PendingClaim claim = call.claim();
    if (claim != null) {
      fail(claim, reason);
    }
  }

  /**
   * Removes the collected callbacks for the calling thread to run. A callback that submits again
   * does not run the callbacks after it.
   */
  List<Runnable> take() {
    if (collected.isEmpty()) {
      return List.of();
    }
    List<Runnable> taken = collected;
    collected = new ArrayList<>();
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
      log.error("A callback of queue '{}' threw; please report this", queue, e);
    }
  }
}
