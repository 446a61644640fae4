package io.punctual.redis;

import java.nio.file.Path;

/** A client that plays a {@link FaultRole} and records its history. */
interface FaultClient extends AutoCloseable {
  /** Returns the file of its history. */
  Path history();

  /** Returns whether it has reached the store. */
  boolean isReady();

  /** Waits until it has ended by itself. */
  void awaitEnd();

  /** Ends it in order. */
  void end();

  /** Ends it somehow. */
  @Override
  void close();
}
