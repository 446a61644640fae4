package io.punctual.internal.session;

import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Callbacks of a session, which are collected under the session's lock and run without the lock.
 * The lock guards all methods except those of {@link Taken}.
 */
final class Notices {
  private static final Logger log = Logs.of(Notices.class);

  private final String queue;
  private final Taken nothing = new Taken(List.of());
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
  Taken take() {
    if (collected.isEmpty()) {
      return nothing;
    }
    List<Runnable> next = new ArrayList<>();
    Taken taken = new Taken(collected);
    collected = next;
    return taken;
  }

  /**
   * Callbacks that one thread runs, without the lock. An error of a callback, or a lack of memory,
   * does not keep the other callbacks from running.
   */
  final class Taken implements Runnable {
    private final List<Runnable> callbacks;
    private int next;
    private @Nullable Throwable error;

    Taken(List<Runnable> callbacks) {
      this.callbacks = callbacks;
    }

    /** Runs the callbacks; returns the last {@link Error}, or null if there was none. */
    @Nullable Throwable runAll() {
      try {
        if (next < callbacks.size()) {
          BlockingGuard.callbacks(this);
        }
      } catch (Throwable notMarked) {
        error = notMarked;
        run();
      }
      return error;
    }

    @Override
    public void run() {
      while (next < callbacks.size()) {
        Runnable callback = callbacks.get(next++);
        try {
          callback.run();
        } catch (Throwable e) {
          report(e);
        }
      }
    }

    private void report(Throwable failure) {
      if (failure instanceof Error) {
        error = failure;
      }
      try {
        log.error("A callback of queue '{}' threw; please report this", queue, failure);
      } catch (Throwable logFailed) {
        error = failure;
      }
    }
  }
}
