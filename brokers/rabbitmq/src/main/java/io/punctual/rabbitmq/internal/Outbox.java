package io.punctual.rabbitmq.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The messages that wait for the publishing thread. While the outbox is held, the thread receives
 * no messages. Thread-safe.
 */
final class Outbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  @GuardedBy("lock") private final Queue<Outgoing> messages = new LinkedList<>();

  @GuardedBy("lock") private boolean held;

  @GuardedBy("lock") private boolean awake;

  void add(Outgoing message) {
    lock.lock();
    try {
      messages.add(message);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for a message; returns whether there is one. {@link #wake} ends the wait before the time
   * has passed.
   */
  boolean await(Duration wait) throws InterruptedException {
    lock.lock();
    try {
      long left = wait.toNanos();
      while (!awake && (held || messages.isEmpty()) && left > 0) {
        left = changed.awaitNanos(left);
      }
      awake = false;
      return !held && !messages.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the oldest message, or null if there is none. */
  @Nullable Outgoing poll() {
    lock.lock();
    try {
      return held ? null : messages.poll();
    } finally {
      lock.unlock();
    }
  }

  /** Ends the current or the next wait of the publishing thread. */
  void wake() {
    lock.lock();
    try {
      awake = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Holds the messages back, or hands them over again if {@code wanted} is false. */
  void hold(boolean wanted) {
    lock.lock();
    try {
      held = wanted;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  boolean isHeld() {
    lock.lock();
    try {
      return held;
    } finally {
      lock.unlock();
    }
  }

  /** Removes the messages whose futures have completed, because nobody waits for them. */
  void removeEnded() {
    lock.lock();
    try {
      messages.removeIf(each -> each.confirmed().isDone());
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns all messages. */
  List<Outgoing> drain() {
    lock.lock();
    try {
      List<Outgoing> all = new ArrayList<>(messages);
      messages.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }
}
