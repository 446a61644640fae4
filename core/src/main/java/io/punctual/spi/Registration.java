package io.punctual.spi;

/** The registration of a listener, which ends when it is closed. Safe for use by many threads. */
public interface Registration extends AutoCloseable {
  /** Removes the listener. Idempotent. */
  @Override
  void close();
}
