package io.punctual.journal.log;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Partition;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The single thread that owns the journal's state. Callers submit tasks and do not wait; tasks run
 * in the order of their submission. The thread reads files, but never waits for a force, and never
 * runs user code. No exception of a task ends the thread before {@link #stop}. An exception of a
 * task, or {@link #fail}, makes the thread call the handler of failures.
 */
public final class JournalThread {
  private static final Logger log = Logs.of(JournalThread.class);

  /** The maximum number of tasks that run before the frame is passed to the writer. */
  private static final int TURN = 64;

  private final ConcurrentLinkedQueue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private final Consumer<Throwable> onFailure;
  private volatile boolean parked;
  private volatile boolean stopping;
  private volatile boolean ended;

  /** The first failure. The thread reads this field before each turn. */
  private volatile @Nullable Throwable failure;

  private volatile boolean handled;

  /** The task that runs, or that has thrown; null between tasks. */
  private @Nullable Task running;

  private boolean refusing;
  private @Nullable RecordLog journal;

  public interface Task {
    void run();

    /** Called instead of {@link #run}, on any thread, if the journal's thread will not run it. */
    void refused(RuntimeException why);

    /**
     * Called on the journal's thread after {@link #run} or {@link #refused} threw there, once the
     * handler of failures has completed. If this method throws too, for example for lack of memory,
     * the thread calls it again.
     */
    void failed(Throwable cause);
  }

  /**
   * Creates a thread, which {@link #start} starts.
   *
   * @param onFailure called on the journal's thread with the first failure: the cause that {@link
   *     #fail} received, or an exception of a task, which may have left the state inconsistent. If
   *     the handler throws, the thread calls it again.
   */
  public JournalThread(String name, Consumer<Throwable> onFailure) {
    this.onFailure = onFailure;
    thread = Threads.create(this::loop, name);
  }

  public void start(RecordLog journal) {
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

  /**
   * Makes the thread call the handler of failures before its next turn. Has no effect after the
   * first failure. Allocates nothing, because a failure may be a lack of memory. May be called on
   * any thread.
   */
  public void fail(Throwable cause) {
    if (failure == null) {
      failure = cause;
    }
    wake();
  }

  /** The first failure, or null if there was none. */
  public @Nullable Throwable failure() {
    return failure;
  }

  /**
   * Runs {@code action} on the journal's thread, even if the thread refuses other tasks. Does
   * nothing once the thread has ended.
   *
   * @param failed receives an exception of the action
   */
  public void executeInAnyCase(Runnable action, Consumer<Throwable> failed) {
    tasks.add(new Unrefusable(action, failed));
    wake();
  }

  private record Unrefusable(Runnable action, Consumer<Throwable> failed) implements Task {
    @Override
    public void run() {
      action.run();
    }

    @Override
    public void failed(Throwable cause) {
      failed.accept(cause);
    }

    @Override
    public void refused(RuntimeException why) {
      // After the end of the thread the action does not run.
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

  /**
   * Refuses all tasks that follow the running task, except those of {@link #executeInAnyCase}.
   * Called on the journal's thread.
   */
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
    Throwable failed = null;
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        refuse(task);
      } catch (RuntimeException | Error e) {
        // The other tasks must still be refused.
        failed = e;
      }
    }
    if (failed != null) {
      log.error("A call has no answer, since it could not be refused at the close", failed);
    }
  }

  private void loop() {
    RecordLog owned = journal;
    if (owned == null) {
      throw new IllegalStateException("Started without a log");
    }
    boolean goesOn = true;
    while (goesOn) {
      try {
        handleFailure();
        goesOn = turn(owned);
      } catch (RuntimeException | Error e) {
        fail(e);
      }
    }
  }

  /**
   * Calls the handler of failures, if there was a failure and no earlier call completed, and then
   * fails the task that has thrown, if any. Both may throw, for example for lack of memory; the
   * next turn then calls them again.
   */
  private void handleFailure() {
    Throwable cause = failure;
    if (cause != null && !handled) {
      onFailure.accept(cause);
      handled = true;
    }
    Task thrower = running;
    if (cause != null && thrower != null) {
      thrower.failed(cause);
    }
    running = null;
  }

  /**
   * Runs confirmations and tasks, or waits if there are none. Returns false if the thread must end.
   */
  private boolean turn(RecordLog owned) {
    boolean worked = owned.confirm();
    for (int i = 0; i < TURN; i++) {
      Task task = tasks.poll();
      if (task == null) {
        break;
      }
      worked = true;
      running = task;
      if (refusing && !(task instanceof Unrefusable)) {
        refuse(task);
      } else {
        task.run();
      }
      running = null;
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

  private void park(RecordLog owned) {
    parked = true;
    boolean mustHandle = failure != null && !handled;
    if (tasks.isEmpty() && !owned.hasWritten() && !stopping && !mustHandle) {
      LockSupport.park(this);
    }
    if (stopping) {
      LockSupport.parkNanos(this, 100_000);
    }
    parked = false;
  }
}
