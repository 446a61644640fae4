package io.punctual.kit.kill;

/** A process or a thread that plays a {@link Role}. */
interface Member {
  Role role();

  Stage stage();

  /** Returns whether the role has reported that it is ready. Fails if the role has failed. */
  boolean isReady();

  /** Waits until the role has ended by itself. */
  void awaitEnd();

  /** Interrupts the role, and waits until it has settled its messages and closed its history. */
  void end();

  /** Kills the process or interrupts the thread, and does not wait. */
  void close();
}
