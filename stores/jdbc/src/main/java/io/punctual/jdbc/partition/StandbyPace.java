package io.punctual.jdbc.partition;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Decides when a client makes the safety check of a queue while a different client is on duty. The
 * more clients share the queue, the more rarely each of them checks, so that all of them together
 * make about four checks a second. The times are random, so that the checks are spread. For a
 * single thread at a time.
 */
final class StandbyPace {
  /** The interval of a client, for each client that shares the queue. */
  private static final long SHARE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Up to this number, each client makes all of its checks. */
  private static final int FEW_CLIENTS = 4;

  /** More clients do not make the interval longer. */
  private static final int MOST_CLIENTS = 40;

  private final LongSupplier nanoTime;
  private final LongUnaryOperator random;
  private long intervalNanos;
  private long nextNanos;

  StandbyPace(LongSupplier nanoTime, LongUnaryOperator random) {
    this.nanoTime = nanoTime;
    this.random = random;
    begin();
  }

  /** Sets the number of clients that share the queue. */
  void setClients(int clients) {
    long interval = clients <= FEW_CLIENTS ? 0 : Math.min(clients, MOST_CLIENTS) * SHARE_NANOS;
    if (interval != intervalNanos) {
      intervalNanos = interval;
      begin();
    }
  }

  /** Begins with a check within an interval. */
  void begin() {
    nextNanos = nanoTime.getAsLong() + random.applyAsLong(intervalNanos);
  }

  boolean isDue() {
    return nanoTime.getAsLong() - nextNanos >= 0;
  }

  void checked() {
    long interval = intervalNanos * 3 / 4 + random.applyAsLong(intervalNanos / 2);
    nextNanos = nanoTime.getAsLong() + interval;
  }
}
