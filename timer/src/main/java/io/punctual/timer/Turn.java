package io.punctual.timer;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread's wish to come into a {@link Gate} itself. Made, awaited and granted once. */
final class Turn extends Request {
  /** Who comes after this one. Touched inside the gate only. */
  @Nullable Turn nextTurn;

  private final Gate gate;
  private final Thread thread = Thread.currentThread();
  private volatile boolean granted;

  Turn(Gate gate) {
    this.gate = gate;
  }

  @Override
  void serve() {
    gate.enqueue(this);
  }

  /** Lets the thread in, as the only one. */
  void grant() {
    granted = true;
    LockSupport.unpark(thread);
  }

  /** Waits until the gate is this thread's. An interrupt is kept for later. */
  void await() {
    boolean interrupted = false;
    while (!granted) {
      LockSupport.park(gate);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      thread.interrupt();
    }
  }
}
