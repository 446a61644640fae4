package io.punctual.internal.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The daemon thread that writes the log lines of this JVM, in their order. The thread that logs a
 * line waits for it for a moment, so that the lines of the application follow in their order, too.
 * Once a line has taken too long, no thread waits until the log has caught up. If the log stays
 * behind, further lines are dropped and counted. The thread ends when it is idle. Thread-safe.
 */
final class LogThread implements Runnable {
  static final LogThread SHARED = new LogThread(TimeUnit.MILLISECONDS.toNanos(100));

  private static final int LINES = 1_000;
  private static final long IDLE_MILLIS = 50;

  private final long patienceNanos;
  private final BlockingQueue<LogLine> lines = new ArrayBlockingQueue<>(LINES);
  private final AtomicLong missing = new AtomicLong();

  /** Whether a line has taken too long, and the log has not caught up since. */
  private volatile boolean isSlow;

  private volatile @Nullable Thread writer;

  @GuardedBy("this") private boolean isRunning;

  /** Creates a thread, which starts with the first line. */
  LogThread(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /** Notes that a line is lost. */
  void dropped() {
    missing.incrementAndGet();
  }

  /** Returns the number of lines that were lost, and that no line in the log has reported yet. */
  long missing() {
    return missing.get();
  }

  /** Has a line written, and waits for that for a moment. */
  void write(LogLine line) {
    if (Thread.currentThread() == writer) {
      line.write(); // an appender that uses Punctual
      return;
    }
    if (!lines.offer(line)) {
      dropped();
      return;
    }
    start();
    if (!isSlow && !line.await(patienceNanos)) {
      isSlow = true;
    }
  }

  private synchronized void start() {
    if (!isRunning) {
      Thread thread = new Thread(null, this, "punctual-log", 0, false);
      thread.setDaemon(true);
      // The class loader of an application must not outlive the application here.
      thread.setContextClassLoader(LogThread.class.getClassLoader());
      thread.start();
      isRunning = true;
    }
  }

  @Override
  public void run() {
    writer = Thread.currentThread();
    boolean isIdle = false;
    while (!isIdle || !end()) {
      isIdle = !writeNext();
    }
  }

  /** Writes the next line; returns false if none came for a while. */
  private boolean writeNext() {
    try {
      LogLine next = lines.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        return false;
      }
      next.write();
      if (lines.isEmpty()) {
        reportMissing();
        isSlow = false;
      }
    } catch (InterruptedException e) {
      return true; // Nothing but an idle time ends the thread.
    } catch (Throwable noMemory) {
      dropped();
    }
    return true;
  }

  private void reportMissing() {
    long count = missing.getAndSet(0);
    if (count > 0) {
      String text =
          count + " lines of Punctual are missing here: the log did not take them in time";
      new LogLine(LoggerFactory.getLogger(LogThread.class), Level.WARN, text, null).write();
    }
  }

  /** Ends the thread, unless a line has come; returns whether it ends. */
  private synchronized boolean end() {
    isRunning = !lines.isEmpty();
    if (!isRunning) {
      writer = null;
    }
    return !isRunning;
  }
}
