package io.punctual.journal.upkeep;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.log.Threads;
import io.punctual.journal.partition.Journal;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;

/**
 * The thread that compacts segments and writes missing hints, in rounds. After a failed round, for
 * example because the disk is full, the pause before the next round becomes longer.
 */
public final class Compactor implements Runnable {
  private static final Logger log = Logs.of(Compactor.class);
  private static final long BYTES_PER_SECOND = 32L << 20;

  /** The maximum number of times that consecutive failures double the pause. */
  private static final int MOST_DOUBLINGS = 6;

  private final Compaction compaction;
  private final HintFiles hints;
  private final Journal journal;
  private final Duration pause;
  private final Thread thread;
  private boolean closing;
  private int failures;

  public Compactor(
      Duration pause,
      Journal journal,
      Function<Compaction.Pace, Compaction> compactions,
      Function<Compaction.Pace, HintFiles> hintsAtPace) {
    this.pause = pause;
    this.journal = journal;
    Compaction.Pace pace = bytes -> rest(pauseNanos(bytes));
    compaction = compactions.apply(pace);
    hints = hintsAtPace.apply(pace);
    thread = Threads.create(this, "punctual-journal-compactor");
  }

  /** Returns the pause after a write, so that the thread writes at most 32 MiB a second. */
  public static long pauseNanos(int writtenBytes) {
    return writtenBytes * TimeUnit.SECONDS.toNanos(1) / BYTES_PER_SECOND;
  }

  public void start() {
    if (!pause.isZero()) {
      thread.start();
    }
  }

  /** Ends the thread, and waits for its end. A running compaction is abandoned. */
  public void close() {
    synchronized (this) {
      closing = true;
      notifyAll();
    }
    Threads.join(thread);
  }

  @Override
  public void run() {
    try {
      while (true) {
        round();
        rest(pause.toNanos() << Math.min(failures, MOST_DOUBLINGS));
      }
    } catch (InterruptedException e) {
      log.debug("No more compaction");
    } catch (ForceFailedException e) {
      journal.thread().fail(e);
    }
  }

  private void round() throws InterruptedException, ForceFailedException {
    try {
      while (compaction.run()) {
        rest(0);
      }
      hints.write();
      if (failures > 0) {
        log.info("Compaction works again");
      }
      failures = 0;
    } catch (ForceFailedException e) {
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      failed(e);
    }
  }

  /** After the failure of the journal, which its own log line reports, no round can succeed. */
  private void failed(Throwable e) throws InterruptedException {
    if (journal.failure() != null) {
      throw new InterruptedException("the journal has failed");
    }
    if (failures++ == 0) {
      warn(e);
    }
  }

  /** Logs a failure. Catches whatever the logger throws, because compaction must go on. */
  @SuppressWarnings("EmptyCatch")
  private static void warn(Throwable e) {
    try {
      log.warn("Compaction failed, and will be tried again: {}", e.getMessage(), e);
    } catch (Throwable withoutLog) {
      // For example, there is no memory for the line.
    }
  }

  private synchronized void rest(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    long left = nanos;
    while (!closing && left > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 100_000));
      left = end - System.nanoTime();
    }
    if (closing) {
      throw new InterruptedException("closing");
    }
  }
}
