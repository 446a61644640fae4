package io.punctual.journal;

import io.punctual.spi.Lane;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that owns all of the journal's state. Whoever wants something hands it a task and
 * goes on; tasks run in the order in which they came. It reads files, but never waits for a force,
 * and never runs code of others.
 */
final class Engine {
  private static final Logger log = LoggerFactory.getLogger(Engine.class);

  /** How many tasks run before a frame is handed on. */
  private static final int TURN = 64;

  private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean stopping;
  private boolean accepting = true;
  private @Nullable Log journal;

  /** Something to do on the engine's thread. */
  interface Task {
    void run();

    /** Called instead of {@link #run}, on any thread, if the engine will not run it. */
    void refused(RuntimeException why);
  }

  Engine(String name) {
    thread = new Thread(this::loop, name);
    thread.setDaemon(true);
  }

  void start(Log journal) {
    this.journal = journal;
    thread.start();
  }

  void execute(Task task) {
    boolean taken;
    synchronized (tasks) {
      taken = accepting;
      if (taken) {
        tasks.add(task);
      }
    }
    if (taken) {
      wake();
    } else {
      task.refused(new Lane.NotSentException("The journal has been closed", null));
    }
  }

  /** Runs {@code action} even if nothing else is taken any more. */
  void executeInAnyCase(Runnable action) {
    tasks.add(
        new Task() {
          @Override
          public void run() {
            action.run();
          }

          @Override
          public void refused(RuntimeException why) {
            throw new IllegalStateException(why);
          }
        });
    wake();
  }

  /** Has the loop look again. */
  void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Takes no more tasks; what was taken still runs. */
  void stopAccepting() {
    synchronized (tasks) {
      accepting = false;
    }
  }

  /** Ends the thread once there is nothing left to do. */
  void stop() {
    stopAccepting();
    stopping = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
  }

  private void loop() {
    Log owned = journal;
    if (owned == null) {
      throw new IllegalStateException("Started without a log");
    }
    while (true) {
      boolean worked = owned.confirm();
      for (int i = 0; i < TURN; i++) {
        Task task = tasks.poll();
        if (task == null) {
          break;
        }
        run(task);
        worked = true;
      }
      owned.flush();
      if (!worked) {
        if (stopping && tasks.isEmpty() && !owned.isBusy()) {
          return;
        }
        park(owned);
      }
    }
  }

  private void run(Task task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("A task of the journal failed", e);
    }
  }

  private void park(Log owned) {
    parked = true;
    if (tasks.isEmpty() && !owned.hasWritten() && !stopping) {
      LockSupport.park(this);
    }
    if (stopping) {
      LockSupport.parkNanos(this, 100_000);
    }
    parked = false;
  }
}
