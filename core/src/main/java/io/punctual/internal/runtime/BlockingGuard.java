package io.punctual.internal.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Refuses blocking calls on threads that must not block. Without an executor for callbacks, a
 * callback runs on the thread that received the answer: a thread of the store, the timer's thread,
 * or, if the store answers on the calling thread, a user's thread. A blocking call in a callback
 * could wait for an answer that cannot arrive before the callback returns, and could delay every
 * queue of the client.
 *
 * <p>The runtime marks a thread while the thread runs callbacks, and marks threads of the store and
 * the timer while they run code of the client. Thread-safe.
 */
public final class BlockingGuard {
  private enum Mark {
    /** The thread is running callbacks; it may be a user's thread. */
    CALLBACKS,
    /** The thread belongs to the store or the timer. */
    OWNED
  }

  private static final ThreadLocal<@Nullable Mark> MARK = new ThreadLocal<>();

  private BlockingGuard() {}

  /** Runs callbacks on this thread, which is marked until they return. */
  public static void callbacks(Runnable callbacks) {
    Mark before = MARK.get();
    marked(before == null ? Mark.CALLBACKS : before, before, callbacks);
  }

  /**
   * Runs a task on this thread of the timer or the store, which is marked until the task returns.
   */
  public static void owned(Runnable task) {
    marked(Mark.OWNED, MARK.get(), task);
  }

  /**
   * Removes the mark of a callback for a handler, which may block. An executor may run the handler
   * on the thread of a callback, for example in a test that advances a clock. Threads of the store
   * and the timer stay marked.
   *
   * @return the action that restores the mark at the end of the handler
   */
  public static Runnable handler() {
    Mark before = MARK.get();
    if (before != Mark.CALLBACKS) {
      return () -> {};
    }
    MARK.remove();
    return () -> MARK.set(before);
  }

  /**
   * Checks that this thread may block.
   *
   * @throws IllegalStateException if it must not block; the message names the remedies
   */
  public static void requireBlockable() {
    if (isMarked()) {
      throw new IllegalStateException(
          "A blocking call in a callback, on thread '"
              + Thread.currentThread().getName()
              + "', which must not block: it would hold up every queue of this client. Use the"
              + " method's asynchronous form, or set PunctualBuilder.callbackExecutor");
    }
  }

  public static boolean isMarked() {
    return MARK.get() != null;
  }

  private static void marked(Mark mark, @Nullable Mark before, Runnable task) {
    if (mark == before) {
      task.run();
      return;
    }
    MARK.set(mark);
    try {
      task.run();
    } finally {
      if (before == null) {
        MARK.remove();
      } else {
        MARK.set(before);
      }
    }
  }
}
