package io.punctual.internal.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Refuses blocking calls on threads that must not block. A callback runs on the thread that brought
 * the answer: the store's, the timer's, or that of any user whose call was answered together with
 * it. A blocking call there would wait for an answer that cannot come before the callback returns,
 * and would hold up every queue of the client.
 *
 * <p>The runtime marks a thread while it runs callbacks, and at the places where a thread of the
 * store or the timer enters it. Thread-safe.
 */
public final class BlockingGuard {
  private enum Mark {
    /** Callbacks run on this thread, which may otherwise be anybody's. */
    CALLBACKS,
    /** The thread is the store's or the timer's. */
    OWNED
  }

  private static final ThreadLocal<@Nullable Mark> MARK = new ThreadLocal<>();

  private BlockingGuard() {}

  /** Runs callbacks. */
  public static void callbacks(Runnable callbacks) {
    Mark before = MARK.get();
    marked(before == null ? Mark.CALLBACKS : before, before, callbacks);
  }

  /** Runs a task of the timer, or takes an answer that the store brings on its own thread. */
  public static void owned(Runnable task) {
    marked(Mark.OWNED, MARK.get(), task);
  }

  /**
   * Begins a handler, which may block even where its executor runs it on the thread of a callback,
   * as in a test with a clock that is moved by hand. Threads of the store and the timer stay
   * marked.
   *
   * @return the end of the handler
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
   * Returns if this thread may block.
   *
   * @throws IllegalStateException otherwise
   */
  public static void requireBlockable() {
    if (isMarked()) {
      throw new IllegalStateException(
          "A blocking call in a callback, on thread '"
              + Thread.currentThread().getName()
              + "', which must not block: it would hold up every queue of this client. Use the"
              + " method's Async form, or set Punctual.Builder.callbackExecutor");
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
