package io.punctual.redis;

import java.nio.file.Path;

/** A client that plays a {@link FaultRole} and records its history. */
interface FaultClient extends AutoCloseable {
  /** Returns the file with the history of this client. */
  Path history();

  /** Returns whether the client has reached the store. */
  boolean isReady();

  /** Waits until the client has finished its work. */
  void awaitEnd();

  /** Ends the client in order: it settles its messages and closes its history. */
  void end();

  /** Stops the client without waiting for its end. A client in a separate process is killed. */
  @Override
  void close();
}
