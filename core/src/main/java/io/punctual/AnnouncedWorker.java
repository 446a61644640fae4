package io.punctual;

import java.time.Duration;

/**
 * A worker that {@link Punctual#announce} lists among the workers until it is closed. The caller
 * counts its messages. All methods are cheap: the figures are sent with the next announcement of
 * the process. After the close, they have no effect. Safe for use by many threads.
 */
public interface AnnouncedWorker extends AutoCloseable {
  /** Returns the id of the worker, as {@link WorkerInfo#id} shows it. */
  String id();

  /** Returns the name of the worker. */
  String name();

  /** Returns the name of the worker's queue. */
  String queue();

  /**
   * Counts a message that the worker receives.
   *
   * @param lateness the time since the message was due; see {@link Delivery#lateness}. Negative
   *     values count as zero
   */
  void received(Duration lateness);

  /** Counts a message that the worker has handled, with or without a failure. */
  void handled();

  /** Counts an attempt that failed, in addition to {@link #handled}. */
  void failed();

  /**
   * Sets the number of messages that the worker handles now; zero at first.
   *
   * @param messages 0 or more
   */
  void setRunning(int messages);

  /**
   * Sets how many messages the worker handles at once.
   *
   * @param messages 1 to 100,000
   */
  void setConcurrency(int messages);

  /**
   * Returns whether an operator has paused this worker with {@link Punctual#pauseWorker}. The
   * caller should claim nothing for the worker meanwhile.
   */
  boolean isPaused();

  /**
   * Sets what runs after each pause by an operator, in place of what was set before. It must be
   * short, must not block, and may run on any thread; its exceptions are logged. Check {@link
   * #isPaused} after this call: a pause before it runs nothing.
   */
  void onPause(Runnable action);

  /** Removes the worker from the list. Idempotent. */
  @Override
  void close();
}
