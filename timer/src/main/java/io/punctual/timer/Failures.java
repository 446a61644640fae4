package io.punctual.timer;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a timer's failures go: to the handler it was given, otherwise, and when that one throws, to
 * the timer thread's handler for uncaught exceptions. Safe for use by many threads.
 */
final class Failures {
  private final @Nullable BiConsumer<? super Runnable, ? super Throwable> handler;

  Failures(@Nullable BiConsumer<? super Runnable, ? super Throwable> handler) {
    this.handler = handler;
  }

  /** Reports what {@code task} did to {@code timer}, its thread. */
  void report(Thread timer, Runnable task, Throwable failure) {
    if (handler == null) {
      uncaught(timer, failure);
      return;
    }
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
