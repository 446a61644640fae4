package io.punctual.timer;

import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a timer's failures go: to the failure handler of the timer, if it has one. Without a
 * handler, exceptions go to the timer thread's handler for uncaught exceptions, and stalls to the
 * log: nothing was thrown then, and an application may end itself at an uncaught exception. Safe
 * for use by many threads.
 */
final class Failures {
  private static final System.Logger log = System.getLogger("io.punctual.timer");

  private final @Nullable BiConsumer<? super Runnable, ? super Throwable> handler;

  Failures(@Nullable BiConsumer<? super Runnable, ? super Throwable> handler) {
    this.handler = handler;
  }

  /** Reports an exception of {@code task} to {@code timer}, its thread. */
  void report(Thread timer, Runnable task, Throwable failure) {
    if (handler == null) {
      uncaught(timer, failure);
    } else {
      handle(handler, timer, task, failure);
    }
  }

  /** Reports that {@code task} keeps {@code timer}, its thread, from running other tasks. */
  void reportStall(Thread timer, Runnable task, TimeoutException stall) {
    if (handler == null) {
      log.log(System.Logger.Level.WARNING, "A timer is held up", stall);
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
      broken.addSuppressed(failure);
      uncaught(timer, broken);
    }
  }

  /** As the JVM does it: what this handler throws has nowhere left to go. */
  @SuppressWarnings("EmptyCatch")
  private static void uncaught(Thread timer, Throwable failure) {
    try {
      timer.getUncaughtExceptionHandler().uncaughtException(timer, failure);
    } catch (Throwable ignored) {
      // The contract of UncaughtExceptionHandler says that it is ignored.
    }
  }
}
