package io.punctual.journal.partition;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that completes the stages of replies, in their order. User code may run when a stage
 * completes, so the journal's thread does not complete stages itself. Safe for use by many threads.
 */
public final class ReplyThread implements Executor {
  private static final Logger log = LoggerFactory.getLogger(ReplyThread.class);

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean parked;
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
   * Runs {@code reply} on the thread for replies, or on the caller's once that thread has ended.
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

  /** Ends the thread once it has run the replies so far; does not wait for that. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  private void loop() {
    while (!stopping) {
      runAll();
      park();
    }
    ended = true;
    runAll();
  }

  private void runAll() {
    for (Runnable reply = waiting.poll(); reply != null; reply = waiting.poll()) {
      run(reply);
    }
  }

  /** A callback that throws must not end the thread that serves all callbacks. */
  private static void run(Runnable reply) {
    try {
      reply.run();
    } catch (RuntimeException | Error e) {
      log.error("A callback of a reply failed; callbacks must not throw", e);
    }
  }

  private void park() {
    // With the mark of an interrupt, which a callback can leave behind, no thread parks.
    boolean unused = Thread.interrupted();
    parked = true;
    if (waiting.isEmpty() && !stopping) {
      LockSupport.park(this);
    }
    parked = false;
  }
}
