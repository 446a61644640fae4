package io.punctual.internal.log;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** A line for the log, with the context of the thread that logs it. Thread-safe. */
final class LogLine {
  private final Logger logger;
  private final Level level;
  private final String text;
  private final @Nullable Throwable failure;
  private final @Nullable Map<String, String> context = MDC.getCopyOfContextMap();
  private final Thread author = Thread.currentThread();
  private volatile boolean written;

  LogLine(Logger logger, Level level, String text, @Nullable Throwable failure) {
    this.logger = logger;
    this.level = level;
    this.text = text;
    this.failure = failure;
  }

  /** Writes the line on this thread. Throws nothing. */
  void write() {
    try {
      if (context != null) {
        MDC.setContextMap(context);
      }
      logger.atLevel(level).setCause(failure).log(text);
    } catch (Throwable broken) {
      writeWithoutFailure();
    } finally {
      written = true;
      LockSupport.unpark(author);
    }
  }

  /** Writes the line without its exception, whose text may be what the appender could not write. */
  @SuppressWarnings("EmptyCatch")
  private void writeWithoutFailure() {
    try {
      if (failure != null) {
        String type = failure.getClass().getName();
        logger
            .atLevel(level)
            .log("{} (a failure that can't be printed; its class is {})", text, type);
      }
    } catch (Throwable ignored) {
      // A logger that fails cannot log its failure.
    }
  }

  /** Waits until the line is written; returns false if that takes longer, or at an interrupt. */
  boolean await(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; !written && left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
      if (author.isInterrupted()) {
        break;
      }
    }
    return written;
  }
}
