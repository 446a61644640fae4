package io.punctual.server.jetty;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of the answers that wait for their clients to read them, within a bound: who asks for
 * much and reads slowly must not fill the memory of the server. Small answers do not count.
 * Thread-safe.
 */
final class AnswerMemory {
  private static final int SMALL = 16 << 10;

  private final long most;
  private final AtomicLong used = new AtomicLong();

  AnswerMemory(long most) {
    this.most = most;
  }

  /** Takes the memory of an answer, if there is some; the only answer may have any size. */
  boolean take(int bytes) {
    if (bytes <= SMALL) {
      return true;
    }
    long before = used.getAndAdd(bytes);
    if (before > 0 && before + bytes > most) {
      used.addAndGet(-bytes);
      return false;
    }
    return true;
  }

  /** Gives the memory of an answer back. */
  void give(int bytes) {
    if (bytes > SMALL) {
      used.addAndGet(-bytes);
    }
  }
}
