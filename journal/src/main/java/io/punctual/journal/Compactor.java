package io.punctual.journal;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that compacts, one segment at a time, and writes hints for what is left; not faster
 * than it was told to.
 */
final class Compactor implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Compactor.class);
  private static final long BYTES_PER_SECOND = 32L << 20;

  private final Compaction compaction;
  private final Hints hints;
  private final Journal journal;
  private final Duration pause;
  private final Thread thread;
  private boolean closing;

  Compactor(
      Duration pause,
      Journal journal,
      Function<Compaction.Pace, Compaction> compactions,
      Function<Compaction.Pace, Hints> hintsAtPace) {
    this.pause = pause;
    this.journal = journal;
    Throttle throttle = new Throttle(BYTES_PER_SECOND, this::rest);
    compaction = compactions.apply(throttle);
    hints = hintsAtPace.apply(throttle);
    thread = new Thread(this, "punctual-journal-compactor");
    thread.setDaemon(true);
  }

  void start() {
    if (!pause.isZero()) {
      thread.start();
    }
  }

  /** Ends the thread; a compaction under way is given up. */
  void close() {
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
        compactAll();
        rest(pause.toNanos());
      }
    } catch (InterruptedException e) {
      log.debug("No more compaction");
    } catch (ForceFailedException e) {
      journal.failLater(e);
    } catch (RuntimeException | Error e) {
      log.error("Compaction has stopped: the journal works on, but its files only grow", e);
    }
  }

  private void compactAll() throws InterruptedException, ForceFailedException {
    try {
      while (compaction.run()) {
        rest(0);
      }
      if (!journal.space().isLow()) {
        hints.write();
      }
    } catch (ForceFailedException e) {
      throw e;
    } catch (IOException e) {
      log.warn("Compaction failed, and will be tried again: {}", e.getMessage(), e);
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
