package io.punctual.cli.transfer;

import io.punctual.TimedQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * How many lines have gone into the queue and come out again, and so when the pipe is at its end.
 * Where lines of others may be in the queue, or answers were lost, the queue itself is asked
 * whether it is empty. Thread-safe.
 */
final class PipeBalance implements LineConsumer.Acks {
  private final TimedQueue<byte[]> queue;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
  private long in;
  private long out;
  private boolean fed;
  private boolean uncertain;

  /**
   * Creates one.
   *
   * @param shared whether the queue may hold lines that were not put there here
   */
  PipeBalance(TimedQueue<byte[]> queue, boolean shared) {
    this.queue = queue;
    this.uncertain = shared;
  }

  /** Completes when everything is out, or when {@link #endNow} is called. */
  CompletableFuture<@Nullable Void> end() {
    return end;
  }

  synchronized void scheduled() {
    in++;
  }

  /** A line may be in the queue, or not. */
  synchronized void maybeScheduled() {
    uncertain = true;
  }

  @Override
  public synchronized void confirmed() {
    out++;
    check();
  }

  @Override
  public synchronized void unknown() {
    uncertain = true;
  }

  /** Nothing more goes in. */
  synchronized void fed() {
    fed = true;
    check();
  }

  private void check() {
    if (fed && !uncertain && in == out) {
      endNow();
    }
  }

  void endNow() {
    end.complete(null);
  }

  /** Returns whether only the queue can tell whether everything is out. */
  synchronized boolean mustAsk() {
    return fed && uncertain;
  }

  /** Ends if everything is out. */
  void ask() {
    if (mustAsk() && queue.counts().pending() == 0) {
      endNow();
    }
  }

  synchronized long in() {
    return in;
  }

  synchronized long out() {
    return out;
  }
}
