package io.punctual;

import java.time.Duration;

/**
 * The figures of a worker of any process at its last announcement: since its start, and in the last
 * minute. Immutable.
 */
public interface WorkerFigures {
  /** Returns the number of messages since the start whose handler has ended. */
  long handled();

  /** Returns the number of attempts since the start that failed; see {@link WorkerStats#failed}. */
  long failed();

  /** Returns the number of calls of the handler that ran. */
  int running();

  /**
   * Returns the length of the time that the recent figures cover: the last 30 to 70 seconds, or
   * less after the start. On the memory store and the journal, the time since an earlier call of
   * {@link Punctual#workers} if there were none for a minute. Zero if nothing happened in it.
   */
  Duration recent();

  /** Returns the number of messages in the recent time whose handler has ended. */
  long recentlyHandled();

  /** Returns the number of attempts in the recent time that failed. */
  long recentlyFailed();

  /** Returns the lateness of the messages that the handler received in the recent time. */
  Lateness lateness();

  /** Returns the handled messages of the recent time as a rate per minute. */
  default double handledPerMinute() {
    return perMinute(recentlyHandled());
  }

  /** Returns the failed attempts of the recent time as a rate per minute. */
  default double failedPerMinute() {
    return perMinute(recentlyFailed());
  }

  private double perMinute(long number) {
    long millis = recent().toMillis();
    return millis <= 0 ? 0 : number * 60_000.0 / millis;
  }
}
