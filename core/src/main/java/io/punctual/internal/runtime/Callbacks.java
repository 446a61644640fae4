package io.punctual.internal.runtime;

import io.punctual.internal.log.Logs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Completes the stages of asynchronous forms, and runs the user's code for replies: on the user's
 * executor or, without an executor, on the thread that received the answer, which must not block.
 * Without an executor, code that may block runs on a daemon thread. Thread-safe.
 */
public final class Callbacks {
  private static final Logger log = Logs.of(Callbacks.class);

  /** The largest number of threads that run dead handlers of manual claims at once. */
  private static final int BLOCKING_THREADS = 16;

  private final @Nullable Executor executor;
  private final Trampoline trampoline;
  private final Executor daemons = new DaemonThreads("punctual-dead-", BLOCKING_THREADS);
  private volatile boolean refused;

  /** Creates callbacks; without an executor they run on the thread that received the answer. */
  public Callbacks(@Nullable Executor executor) {
    this(executor, executor == null ? Runnable::run : executor);
  }

  /**
   * Creates callbacks; without an executor they run on the thread that received the answer.
   *
   * @param other runs a task on another thread, where a chain of callbacks goes on
   */
  public Callbacks(@Nullable Executor executor, Executor other) {
    this.executor = executor;
    this.trampoline = new Trampoline(other);
  }

  /** Returns the stage that the user receives for an answer. */
  public <T> CompletableFuture<T> of(CompletableFuture<T> answer) {
    return completed(executor == null || answer.isDone() ? answer : on(executor, answer));
  }

  /** Returns the stage that the user receives for an answer that {@link #execute} completes. */
  public <T> CompletableFuture<T> completed(CompletableFuture<T> answer) {
    return trampoline.pass(answer);
  }

  private <T> CompletableFuture<T> on(Executor threads, CompletableFuture<T> answer) {
    CompletableFuture<T> seen = new CompletableFuture<>();
    CompletableFuture<?> unused =
        answer.whenComplete((value, failure) -> run(threads, () -> pass(seen, value, failure)));
    cancelWith(seen, answer);
    return seen;
  }

  /** Cancels the answer if the user cancels the stage. */
  static void cancelWith(CompletableFuture<?> stage, CompletableFuture<?> answer) {
    CompletableFuture<?> unused =
        stage.whenComplete(
            (value, failure) -> {
              if (stage.isCancelled()) {
                answer.cancel(false);
              }
            });
  }

  /**
   * Runs the user's code for a reply: on the executor, or on the thread that received the reply.
   */
  public void execute(Runnable task) {
    if (executor == null) {
      trampoline.execute(() -> BlockingGuard.callbacks(task));
    } else {
      run(executor, task);
    }
  }

  /**
   * Runs the user's code, which may block: on the executor, or on a daemon thread if there is no
   * executor. Does not wait for the end of the code, unless the executor runs it on the calling
   * thread.
   *
   * @throws RejectedExecutionException if no thread accepts the task
   */
  public void executeBlocking(Runnable task) {
    if (executor == null) {
      daemons.execute(task);
    } else {
      BlockingGuard.callbacks(() -> executor.execute(task));
    }
  }

  static <T> void pass(CompletableFuture<T> seen, @Nullable T value, @Nullable Throwable failure) {
    if (failure == null) {
      seen.complete(value);
    } else {
      seen.completeExceptionally(StoreFailures.unwrap(failure));
    }
  }

  /**
   * Runs a task on the executor; if the executor throws, runs the task here unless it has started.
   * The calling thread is marked meanwhile, because the executor may run the task on it.
   */
  private void run(Executor executor, Runnable task) {
    AtomicBoolean started = new AtomicBoolean();
    Runnable once =
        () -> {
          if (started.compareAndSet(false, true)) {
            task.run();
          }
        };
    BlockingGuard.callbacks(
        () -> {
          try {
            executor.execute(once);
          } catch (Throwable e) {
            if (started.get()) {
              throw e;
            }
            if (!refused) {
              refused = true;
              log.warn("callbackExecutor refuses tasks; callbacks run on the client's threads", e);
            }
            once.run();
          }
        });
  }

  /**
   * Starts a daemon thread for each task, and rejects tasks above a limit. The threads have the
   * context class loader of the thread that created this object. Thread-safe.
   */
  private static final class DaemonThreads implements Executor {
    private final String name;
    private final int limit;
    private final Semaphore free;
    private final ThreadFactory threads;

    DaemonThreads(String name, int limit) {
      this.name = name;
      this.limit = limit;
      this.free = new Semaphore(limit);
      this.threads = ClientThread.daemons(name);
    }

    @Override
    public void execute(Runnable task) {
      if (!free.tryAcquire()) {
        throw new RejectedExecutionException("All " + limit + " threads " + name + "N are busy");
      }
      boolean started = false;
      try {
        threads.newThread(() -> run(task)).start();
        started = true;
      } finally {
        if (!started) {
          free.release();
        }
      }
    }

    private void run(Runnable task) {
      try {
        task.run();
      } finally {
        free.release();
      }
    }
  }
}
