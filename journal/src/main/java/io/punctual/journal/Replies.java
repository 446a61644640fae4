package io.punctual.journal;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that runs the code of others: what they do when they get their replies, in the order
 * of these. The engine's thread hands over and goes on. Safe for use by many threads.
 */
final class Replies implements Executor {
  private static final Logger log = LoggerFactory.getLogger(Replies.class);

  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean stopping;

  Replies(String name) {
    thread = new Thread(this::loop, name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  @Override
  public void execute(Runnable reply) {
    waiting.add(reply);
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Has the thread end once it has run what was handed over; does not wait for that. */
  void stop() {
    stopping = true;
    LockSupport.unpark(thread);
  }

  private void loop() {
    while (true) {
      Runnable reply = waiting.poll();
      if (reply != null) {
        run(reply);
      } else if (stopping) {
        return;
      } else {
        park();
      }
    }
  }

  /** Whoever is told of a reply should not throw, but must not end the thread for the others. */
  private static void run(Runnable reply) {
    try {
      reply.run();
    } catch (RuntimeException | Error e) {
      log.error("What follows a reply failed", e);
    }
  }

  private void park() {
    parked = true;
    if (waiting.isEmpty() && !stopping) {
      LockSupport.park(this);
    }
    parked = false;
  }
}
