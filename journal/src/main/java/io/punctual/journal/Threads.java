package io.punctual.journal;

/** Waits for threads that certainly end. */
final class Threads {
  private Threads() {}

  /** Waits even when interrupted, since half a closing helps nobody; keeps the interrupt. */
  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
