package io.punctual.cli.transfer;

import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the lines that went into the queue and came out again, to know when the pipe is done. Asks
 * the queue whether it is empty if other processes use the queue or answers were lost. Thread-safe.
 */
final class PipeBalance implements LineConsumer.Acks {
  private static final Logger log = LoggerFactory.getLogger(PipeBalance.class);

  private final TimedQueue<byte[]> queue;
  private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
  private long in;
  private long out;
  private boolean fed;
  private boolean uncertain;

  /**
   * Creates a balance.
   *
   * @param shared whether the queue may hold messages of other processes
   */
  PipeBalance(TimedQueue<byte[]> queue, boolean shared) {
    this.queue = queue;
    this.uncertain = shared;
  }

  /** Completes when all lines are out, or when {@link #endNow} is called. */
  CompletableFuture<@Nullable Void> end() {
    return end;
  }

  synchronized void scheduled() {
    in++;
  }

  /** Records a schedule without an answer: the line may be in the queue or not. */
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

  /** Records the end of the input. */
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

  /** Returns whether the input has ended, and only the queue can show that the pipe is done. */
  synchronized boolean mustAsk() {
    return fed && uncertain;
  }

  /**
   * Ends the pipe if the queue must be asked and is empty. Does nothing if the store is
   * unavailable; the caller asks again later.
   */
  void ask() {
    try {
      if (mustAsk() && queue.counts().pending() == 0) {
        endNow();
      }
    } catch (StoreUnavailableException e) {
      log.debug("The pipe waits for the store", e);
    }
  }

  synchronized long in() {
    return in;
  }

  synchronized long out() {
    return out;
  }
}
