package io.punctual.timer;

import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the failures of a timer's tasks to the timer's failure handler. Without a handler,
 * exceptions go to the uncaught-exception handler of the timer thread, and stalls go to the log,
 * because a stall throws nothing, and some applications exit on an uncaught exception. Safe for use
 * by many threads.
 */
final class FailureReporter {
  private static final System.Logger log = System.getLogger("io.punctual.timer");

  private final @Nullable BiConsumer<? super Runnable, ? super Throwable> handler;

  FailureReporter(@Nullable BiConsumer<? super Runnable, ? super Throwable> handler) {
    this.handler = handler;
  }

  /** Reports an exception of {@code task} on the timer thread {@code timer}. */
  void report(Thread timer, Runnable task, Throwable failure) {
    if (handler == null) {
      uncaught(timer, failure, failure);
    } else {
      handle(handler, timer, task, failure);
    }
  }

  /** Reports that {@code task} keeps the timer thread {@code timer} from running other tasks. */
  void reportStall(Thread timer, Runnable task, TimeoutException stall) {
    if (handler == null) {
      warn(stall);
    } else {
      handle(handler, timer, task, stall);
    }
  }

  private static void handle(
      BiConsumer<? super Runnable, ? super Throwable> handler,
      Thread timer,
      Runnable task,
      Throwable failure) {
    try {
      handler.accept(task, failure);
    } catch (Throwable broken) {
      uncaught(timer, broken, failure);
    }
  }

  /** Logs a stall, and ignores any exception of the logger: the caller only schedules a task. */
  @SuppressWarnings("EmptyCatch")
  private static void warn(TimeoutException stall) {
    try {
      log.log(System.Logger.Level.WARNING, "A task blocks a timer thread", stall);
    } catch (Throwable ignored) {
      // A logger that fails cannot log its failure.
    }
  }

  /**
   * Calls the uncaught-exception handler as the JVM does, and ignores any exception that it throws,
   * and a lack of memory.
   *
   * @param cause the failure whose handling threw {@code failure}, or the same failure
   */
  @SuppressWarnings("EmptyCatch")
  private static void uncaught(Thread timer, Throwable failure, Throwable cause) {
    try {
      if (failure != cause) {
        failure.addSuppressed(cause);
      }
      timer.getUncaughtExceptionHandler().uncaughtException(timer, failure);
    } catch (Throwable ignored) {
      // UncaughtExceptionHandler specifies that the JVM ignores exceptions of the handler.
    }
  }
}
