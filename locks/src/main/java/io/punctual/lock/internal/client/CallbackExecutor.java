package io.punctual.lock.internal.client;

import io.punctual.internal.log.Logs;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs callbacks on the user's executor. If there is no executor, or the executor throws, the
 * callback runs on a thread of this class. A callback that blocks the thread of a connection would
 * delay replies, so this class runs no callback there; the user's executor must not do so either.
 * The threads of this class end when they are idle. Thread-safe.
 */
public final class CallbackExecutor implements Executor {
  private static final Logger log = Logs.of(CallbackExecutor.class);
  private static final long IDLE_SECONDS = 10;

  private final @Nullable Executor users;
  private final ThreadPoolExecutor own;
  private final AtomicBoolean hasWarned = new AtomicBoolean();

  /**
   * Creates an executor; without the user's executor, all callbacks run on threads of this class.
   */
  public CallbackExecutor(@Nullable Executor users) {
    this(users, CallbackExecutor::thread);
  }

  /** Creates an executor whose own threads come from this factory. */
  public CallbackExecutor(@Nullable Executor users, ThreadFactory threads) {
    this.users = users;
    own =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            threads);
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "punctual-locks");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable task) {
    if (users == null) {
      own.execute(task);
      return;
    }
    Runnable once = once(task); // because an executor can keep a task, and throw nevertheless
    try {
      users.execute(once);
    } catch (Throwable refused) {
      if (hasWarned.compareAndSet(false, true)) {
        log.warn(
            "The executor of these locks refuses callbacks, which run on threads of the locks' own"
                + " instead. Give it more threads or a longer queue, and close the locks before it."
                + " This is logged once: {}",
            refused.toString());
      }
      own.execute(once);
    }
  }

  private static Runnable once(Runnable task) {
    AtomicBoolean hasRun = new AtomicBoolean();
    return () -> {
      if (hasRun.compareAndSet(false, true)) {
        task.run();
      }
    };
  }

  /**
   * Runs an internal task, which may block, on a thread of this class and never on the user's
   * executor.
   */
  void runOwn(Runnable task) {
    own.execute(task);
  }

  /** Lets idle threads end at once. Later callbacks still run. */
  public void close() {
    own.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
  }
}
