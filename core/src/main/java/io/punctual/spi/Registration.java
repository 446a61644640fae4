package io.punctual.spi;

/** The registration of a listener. A close ends the registration. Safe for use by many threads. */
public interface Registration extends AutoCloseable {
  /** Removes the listener. Idempotent. */
  @Override
  void close();
}
