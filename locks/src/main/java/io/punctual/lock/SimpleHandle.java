package io.punctual.lock;

import java.time.Duration;

/** The handle of an acquired {@link SimpleLock}. Safe for use by many threads. */
public final class SimpleHandle implements AutoCloseable {
  private final SimpleLock lock;
  private final String token;
  private final long untilNanos;

  SimpleHandle(SimpleLock lock, String token, long untilNanos) {
    this.lock = lock;
    this.token = token;
    this.untilNanos = untilNanos;
  }

  /** Returns the random value of the lock's key. It is not a fencing token. */
  String token() {
    return token;
  }

  /**
   * Returns for how long the lock is still held if it is not released; zero when its lease has
   * ended.
   */
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, untilNanos - lock.nanoTime()));
  }

  /**
   * Releases the lock.
   *
   * @return whether the lock was still held
   * @throws io.punctual.PunctualException if the server does not reply; the lock ends with its
   *     lease at the latest
   */
  public boolean release() {
    return lock.release(token);
  }

  /** Like {@link #release()}, without a result. */
  @Override
  public void close() {
    release();
  }
}
