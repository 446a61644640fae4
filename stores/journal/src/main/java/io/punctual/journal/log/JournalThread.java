package io.punctual.journal.log;

import io.punctual.spi.Partition;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The single thread that owns the journal's state. Callers submit tasks and do not wait; tasks run
 * in the order of their submission. The thread reads files, but never waits for a force, and never
 * runs user code. No exception of a task ends the thread before {@link #stop}.
 */
public final class JournalThread {
  /** The maximum number of tasks that run before the frame is passed to the writer. */
  private static final int TURN = 64;

  private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private final Consumer<Throwable> onError;
  private volatile boolean parked;
  private volatile boolean stopping;
  private volatile boolean ended;
  private boolean refusing;
  private @Nullable Log journal;

  /** A task for the journal's thread. */
  public interface Task {
    void run();

    /** Called instead of {@link #run}, on any thread, if the journal's thread will not run it. */
    void refused(RuntimeException why);
  }

  /**
   * Creates a thread, which {@link #start} starts.
   *
   * @param onError called on the journal's thread with an exception of a task; the task may have
   *     left the state inconsistent
   */
  public JournalThread(String name, Consumer<Throwable> onError) {
    this.onError = onError;
    thread = new Thread(this::loop, name);
    thread.setDaemon(true);
  }

  public void start(Log journal) {
    this.journal = journal;
    thread.start();
  }

  public void execute(Task task) {
    if (!ended) {
      tasks.add(task);
      wake();
      // The task may have been added after the thread ended. Only the thread that removes a task
      // from the queue may refuse it.
      if (ended && tasks.remove(task)) {
        refuse(task);
      }
    } else {
      refuse(task);
    }
  }

  /** Runs {@code action} unless the thread has ended, even if the thread refuses other tasks. */
  public void executeInAnyCase(Runnable action) {
    tasks.add(new Unrefusable(action));
    wake();
  }

  private record Unrefusable(Runnable action) implements Task {
    @Override
    public void run() {
      action.run();
    }

    @Override
    public void refused(RuntimeException why) {
      // After the end of the thread the action has no effect.
    }
  }

  private static void refuse(Task task) {
    task.refused(new Partition.NotSentException("The journal has been closed", null));
  }

  /** Wakes the thread, so that it looks for tasks and written frames. */
  public void wake() {
    if (parked) {
      LockSupport.unpark(thread);
    }
  }

  /** Refuses all tasks that follow the running task. Called on the journal's thread. */
  public void refuseOthers() {
    refusing = true;
  }

  /** Ends the thread after all submitted tasks, and waits for its end. */
  public void stop() {
    stopping = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
    refuseLeft();
  }

  private void refuseLeft() {
    ended = true;
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      refuse(task);
    }
  }

  private void loop() {
    Log owned = journal;
    if (owned == null) {
      throw new IllegalStateException("Started without a log");
    }
    Throwable trouble = null;
    boolean goesOn = true;
    while (goesOn) {
      try {
        if (trouble != null) {
          onError.accept(trouble);
          trouble = null;
        }
        goesOn = turn(owned);
      } catch (RuntimeException | Error e) {
        // The handler may fail too, for example for lack of memory. The next turn calls it again.
        trouble = e;
      }
    }
  }

  /**
   * Runs confirmations and tasks, or waits if there are none. Returns false if the thread must end.
   */
  private boolean turn(Log owned) {
    boolean worked = owned.confirm();
    for (int i = 0; i < TURN; i++) {
      Task task = tasks.poll();
      if (task == null) {
        break;
      }
      worked = true;
      if (refusing && !(task instanceof Unrefusable)) {
        refuse(task);
      } else {
        task.run();
      }
    }
    owned.flush();
    if (!worked) {
      if (stopping && tasks.isEmpty() && !owned.isBusy()) {
        return false;
      }
      park(owned);
    }
    return true;
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
