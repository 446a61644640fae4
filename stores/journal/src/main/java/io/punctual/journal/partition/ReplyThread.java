package io.punctual.journal.partition;

import io.punctual.internal.log.Logs;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * The thread that completes the stages of replies, in their order. User code may run when a stage
 * completes, so the journal's thread does not complete stages itself. Safe for use by many threads.
 */
public final class ReplyThread implements Executor {
  private static final Logger log = Logs.of(ReplyThread.class);

  private static final long LOOK_NANOS = 5_000_000;

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean parked;

  /** Whether the thread completes replies now, and how many it has completed. */
  private volatile boolean isBusy;

  private volatile long completed;

  private volatile boolean stopping;
  private volatile boolean ended;

  public ReplyThread(String name) {
    thread = new Thread(this::loop, name);
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /**
   * Runs {@code reply} on the thread for replies, or on the calling thread after {@link
   * #leaveToOthers} or the end of the thread for replies.
   */
  @Override
  public void execute(Runnable reply) {
    waiting.add(reply);
    if (ended) {
      runAll();
    } else if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /**
   * Lets other threads complete replies from now on, if the calling thread is the thread for
   * replies; otherwise does nothing. Called before the calling thread waits for replies, for
   * example to close the journal in the callback of a reply.
   */
  public void leaveToOthers() {
    if (Thread.currentThread() == thread) {
      ended = true;
      runAll();
    }
  }

  /**
   * Lets other threads complete replies from now on, if the thread stays in one callback for this
   * time. For example, a callback that calls {@link System#exit} waits for the close of the
   * journal, which itself waits for replies.
   */
  public void leaveToOthersIfStuck(Duration patience) {
    long before = completed;
    long end = System.nanoTime() + patience.toNanos();
    while (isBusy && completed == before) {
      if (end - System.nanoTime() <= 0) {
        ended = true;
        runAll();
        return;
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
    }
  }

  /** Ends the thread after all submitted replies. Does not wait for its end. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  private void loop() {
    while (!stopping) {
      isBusy = true;
      runAll();
      isBusy = false;
      park();
    }
    ended = true;
    runAll();
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // Only the thread itself writes the number.
  private void runAll() {
    for (Runnable reply = waiting.poll(); reply != null; reply = waiting.poll()) {
      run(reply);
      if (Thread.currentThread() == thread) {
        completed++;
      }
    }
  }

  /**
   * Runs a reply. An exception of a callback must not end the thread, which other callbacks need.
   */
  private static void run(Runnable reply) {
    try {
      reply.run();
    } catch (RuntimeException | Error e) {
      report(e);
    }
  }

  /** Logs a failure. Catches whatever the logger throws, because the thread must go on. */
  private static void report(Throwable failure) {
    try {
      log.error("A callback of a reply failed; callbacks must not throw", failure);
    } catch (RuntimeException | Error e) {
      // No other place is left to report it.
    }
  }

  private void park() {
    // A callback may leave the thread interrupted. An interrupted thread does not park.
    boolean unused = Thread.interrupted();
    parked = true;
    if (waiting.isEmpty() && !stopping) {
      LockSupport.park(this);
    }
    parked = false;
  }
}
