package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Runs tasks on a thread that waits for a result, so that the user's code runs on the user's
 * thread. After the thread has stopped waiting, a task runs on the thread that submits it.
 * Thread-safe.
 */
public final class CallerThread implements Executor {
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  @GuardedBy("this") private boolean gone;

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (!gone) {
        tasks.add(task);
        return;
      }
    }
    task.run();
  }

  /**
   * Runs tasks on this thread until the result is complete; cancels the result if the thread is
   * interrupted.
   */
  public <T> T await(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    CompletableFuture<?> unused = result.whenComplete((value, failure) -> tasks.add(() -> {}));
    try {
      while (!result.isDone()) {
        tasks.take().run();
      }
    } catch (InterruptedException e) {
      if (result.cancel(false)) {
        throw e;
      }
      Thread.currentThread().interrupt();
    } finally {
      leave();
    }
    return result.get();
  }

  private void leave() {
    synchronized (this) {
      gone = true;
    }
    tasks.forEach(Runnable::run);
  }
}
