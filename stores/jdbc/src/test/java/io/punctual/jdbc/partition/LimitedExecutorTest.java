package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

final class LimitedExecutorTest {
  private final Deque<Runnable> submitted = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private boolean hasNoThread;

  private final Executor threads =
      task -> {
        if (hasNoThread) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        submitted.add(task);
      };

  private void runAll() {
    while (!submitted.isEmpty()) {
      submitted.remove().run();
    }
  }

  /** Otherwise no later call of the queue would ever be executed. */
  @Test
  void execute_noThreadForTheNextTask_runsItAndGoesOn() {
    LimitedExecutor serial = new LimitedExecutor(threads, 1, threads);
    serial.execute(() -> done.add("first"));
    serial.execute(
        () -> {
          done.add("second");
          if (done.size() == 2) {
            throw new LockedException(new IllegalStateException());
          }
        });
    serial.execute(() -> done.add("third"));
    hasNoThread = true;
    runAll();
    assertThat(done).containsExactly("first", "second", "second", "third");
    hasNoThread = false;
    serial.execute(() -> done.add("fourth"));
    runAll();
    assertThat(done).last().isEqualTo("fourth");
  }

  /** For example a task that deletes expired ids, and for whose connection there is no thread. */
  @Test
  void execute_noThreadAndTheNextTaskFailsToo_goesOn() {
    LimitedExecutor serial = new LimitedExecutor(threads, 1, threads);
    serial.execute(() -> done.add("first"));
    serial.execute(
        () -> {
          throw new IllegalStateException("The database has no connection for this task");
        });
    serial.execute(() -> done.add("third"));
    hasNoThread = true;
    runAll();
    assertThat(done).containsExactly("first", "third");
    hasNoThread = false;
    serial.execute(() -> done.add("fourth"));
    runAll();
    assertThat(done).last().isEqualTo("fourth");
  }
}
