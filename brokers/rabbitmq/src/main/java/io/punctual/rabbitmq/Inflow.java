package io.punctual.rabbitmq;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the bytes of the messages that have arrived over a connection and are not acked. Above the
 * limit, the thread that reads from the connection waits, so that RabbitMQ keeps the further
 * messages. A prefetch bounds only their number. Thread-safe.
 */
final class Inflow {
  /** The usual limit of a payload. */
  private static final int LARGE = 1 << 20;

  private final long limit;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @GuardedBy("lock") private long bytes;

  @GuardedBy("lock") private boolean started;

  @GuardedBy("lock") private boolean ended;

  Inflow(long limit) {
    this.limit = limit;
  }

  /**
   * Returns the usual limit: a sixteenth of the largest heap. As many bytes can be on their way
   * from the store at the same time, and the store and the client of RabbitMQ make copies.
   */
  static long usualLimit() {
    return Runtime.getRuntime().maxMemory() / 16;
  }

  /** Returns how many messages of the usual largest payload are within the usual limit. */
  static int largeMessages() {
    return (int) Math.max(1, Math.min(usualLimit() / LARGE, Integer.MAX_VALUE));
  }

  /** Counts a message that has arrived; returns false after {@link #end}, to drop the message. */
  boolean enter(long size) {
    lock.lock();
    try {
      bytes += size;
      return !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Uncounts a message. */
  void leave(long size) {
    lock.lock();
    try {
      bytes -= size;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets the reading thread wait from now on; before, it has to read the replies of the start. */
  void start() {
    lock.lock();
    try {
      started = true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the bytes are within the limit, or until {@link #end}. */
  void awaitRoom() {
    lock.lock();
    try {
      while (started && bytes > limit && !ended) {
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waits, so that the connection can be closed. */
  void end() {
    lock.lock();
    try {
      ended = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
