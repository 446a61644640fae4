package io.punctual.spi;

/** Something registered that can be taken back. Safe for use by many threads. */
public interface Registration extends AutoCloseable {
  /** Takes it back; a second time does nothing. */
  @Override
  void close();
}
