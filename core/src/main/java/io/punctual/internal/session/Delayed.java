package io.punctual.internal.session;

import io.punctual.internal.runtime.Environment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The submissions of a session that wait for some time. They run early when the session closes,
 * because its timer may never run them. Thread-safe.
 */
final class Delayed {
  private final Environment env;
  private final Set<Submission> waiting = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  Delayed(Environment env) {
    this.env = env;
  }

  /** Runs a submission once: after this time, or at the close if that is earlier. */
  private final class Submission implements Runnable {
    private final Runnable submission;

    Submission(Runnable submission) {
      this.submission = submission;
    }

    @Override
    public void run() {
      if (waiting.remove(this)) {
        submission.run();
      }
    }
  }

  /** Runs a submission after this time, or at the close of the session; returns false if closed. */
  boolean add(long nanos, Runnable submission) {
    Submission added = new Submission(submission);
    waiting.add(added);
    try {
      boolean runs = !closed && env.ifOpen(nanos, added) != null;
      return runs || !waiting.remove(added);
    } catch (RuntimeException | Error e) {
      added.run(); // too early, but the caller counts on it
      return true;
    }
  }

  void close() {
    closed = true;
    List.copyOf(waiting).forEach(Submission::run);
  }
}
