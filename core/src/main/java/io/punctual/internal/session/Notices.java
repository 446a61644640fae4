package io.punctual.internal.session;

import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Callbacks of a session, which are collected under the session's lock and run without the lock.
 * The lock guards all methods except {@link #run}.
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

  /** Passes the reply to the caller of the claim. */
  void claimed(InFlightCall call, Reply.Claimed reply) {
    Pending.OfClaim claim = call.claim();
    if (claim != null) {
      long sent = call.firstSentNanos();
      collected.add(() -> claim.claimed(reply, sent));
    }
  }

  /** Notifies the caller that its operation or claim ends without an answer. */
  void fail(Pending pending, EndReason reason) {
    RuntimeException failure = reason.exception(pending, queue);
    collected.add(
        reason.isForNow() ? () -> pending.refusedForNow(failure) : () -> pending.failed(failure));
  }

  /** Notifies the callers of all operations, or of the claim, of a call. */
  void fail(InFlightCall call, EndReason reason) {
    call.operations().forEach(operation -> fail(operation, reason));
    Pending.OfClaim claim = call.claim();
    if (claim != null) {
      fail(claim, reason);
    }
  }

  /**
   * Removes and returns the collected callbacks, which the calling thread runs. If one of these
   * callbacks submits an operation, the submission does not run the other callbacks, because they
   * are no longer collected here.
   */
  List<Runnable> take() {
    if (collected.isEmpty()) {
      return List.of();
    }
    List<Runnable> taken = collected;
    collected = new ArrayList<>();
    return taken;
  }

  /** Runs callbacks that {@link #take} returned. The caller must not hold the lock. */
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
