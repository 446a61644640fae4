package io.punctual.http.own;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.AsyncDelivery;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.deadletter.DeadLetters;
import io.punctual.http.queue.Queues;
import io.punctual.task.Checkpoint;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import io.punctual.test.ManualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the record of a task says when its process and its end come in an unlucky order. */
final class TaskRunTest {
  private final Instant now = Instant.now();

  private final Punctual punctual = Punctual.open("memory:");
  private final TaskStore store = new TaskStore(new Queues(punctual));
  private final ManualClock clock = new ManualClock(now);
  private final TaskRecord begun = TaskRecord.begun("t", "tester", order(), now);
  private final CompletableFuture<SettleOutcome> extended = new CompletableFuture<>();
  private final ScriptedTask task = new ScriptedTask();
  private Checkpoint checkpoint = progress -> TaskStore.nothing();
  private boolean isLost;

  @AfterEach
  void close() {
    punctual.close();
  }

  private static TaskOrder order() {
    return new TaskOrder(
        "q", TaskOrder.Action.DELETE, null, 0, 0, null, false, Duration.ZERO, null, Set.of());
  }

  /** Returns an object that answers calls by name. */
  private static <T> T answering(Class<T> type, Function<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.apply(method.getName())));
  }

  private Delivery<byte[]> delivery() {
    AsyncDelivery<?> async = answering(AsyncDelivery.class, name -> extended);
    @SuppressWarnings("unchecked")
    Delivery<byte[]> delivery =
        answering(
            Delivery.class,
            name ->
                switch (name) {
                  case "async" -> async;
                  case "isLost" -> isLost;
                  case "isCancelled" -> false;
                  default -> throw new UnsupportedOperationException(name);
                });
    return delivery;
  }

  private TimedQueue<byte[]> queue() {
    Object dead =
        Proxy.newProxyInstance(
            DeadLetters.class.getClassLoader(),
            new Class<?>[] {DeadLetters.class},
            (proxy, method, arguments) -> {
              checkpoint = ((TaskOptions) arguments[1]).checkpoint().orElseThrow();
              return task;
            });
    @SuppressWarnings("unchecked")
    TimedQueue<byte[]> queue = answering(TimedQueue.class, name -> dead);
    return queue;
  }

  private TaskRun run() {
    return run(begun);
  }

  private TaskRun run(TaskRecord before) {
    return new TaskRun(store, clock, clock, delivery(), before, queue());
  }

  /** Returns whether the task is tried again after this failure. */
  private boolean isTriedAgain(TaskRecord before, RuntimeException failure) {
    CompletableFuture<?> end = run(before).end().toCompletableFuture();
    task.done.completeExceptionally(failure);
    return end.handle((done, thrown) -> thrown != null).join();
  }

  private TaskRecord record() {
    return store.find("t").toCompletableFuture().join().orElseThrow();
  }

  private void save(TaskRecord.State state, long changed) {
    store
        .save(begun.progressed(state, TaskCounts.NONE.changed(changed), null, now))
        .toCompletableFuture()
        .join();
  }

  /** A task that ends when a test says so. */
  private static final class ScriptedTask implements Task<TaskProgress> {
    private final CompletableFuture<TaskProgress> done = new CompletableFuture<>();
    private Runnable whenRead = () -> {};
    private long changed = 1;

    @Override
    public TaskProgress progress() {
      whenRead.run();
      return TaskRunTest.changed(changed);
    }

    @Override
    public void cancel() {}

    @Override
    public CompletionStage<TaskProgress> done() {
      return done;
    }

    @Override
    public TaskProgress await() {
      return done.join();
    }
  }

  private static TaskProgress changed(long count) {
    return answering(
        TaskProgress.class,
        name ->
            switch (name) {
              case "isCancelled" -> false;
              case "position" -> Optional.empty();
              case "changed" -> count;
              default -> 0L;
            });
  }

  @Test
  void taskThatEndsWhileItsProgressIsRead_staysDone() {
    TaskRun run = run();
    CompletableFuture<?> end = run.end().toCompletableFuture();
    run.tick();
    task.whenRead = () -> task.done.complete(changed(2));

    extended.complete(SettleOutcome.DONE);

    end.join();
    assertThat(record().state()).isEqualTo(TaskRecord.State.DONE);
    assertThat(record().counts().changed()).isEqualTo(2);
  }

  @Test
  void checkpointOfAProcessThatWasFrozen_doesNotReplaceTheEnd_andIsNotTakenForSaved() {
    TaskRun run = run();
    CompletableFuture<?> end = run.end().toCompletableFuture();
    save(TaskRecord.State.DONE, 7);
    isLost = true;

    CompletableFuture<?> saving = checkpoint.save(changed(1)).toCompletableFuture();

    assertThat(saving.handle((done, failure) -> failure != null).join()).isTrue();
    task.done.completeExceptionally(new IllegalStateException("The checkpoint is not saved"));
    end.join();
    assertThat(record().state()).isEqualTo(TaskRecord.State.DONE);
    assertThat(record().counts().changed()).isEqualTo(7);
  }

  @Test
  void taskThatCantSucceed_fails() {
    RuntimeException wrong = new IllegalArgumentException("4 partitions, not 2");
    assertThat(isTriedAgain(begun, wrong)).as("a process may be late to know them").isTrue();
    task.changed = 0;
    clock.advance(Duration.ofMinutes(1));
    assertThat(isTriedAgain(record(), wrong)).isFalse();
    assertThat(record().state()).isEqualTo(TaskRecord.State.FAILED);
    assertThat(record().error()).isEqualTo("4 partitions, not 2");
    assertThat(record().counts().changed()).isEqualTo(1);
  }

  @Test
  void taskWithoutAStore_isTriedAgain_andSaysWhy_untilItDoesMore() {
    assertThat(isTriedAgain(begun, new StoreUnavailableException("The store is away", null)))
        .isTrue();
    TaskRecord stuck = record();
    assertThat(stuck.state()).isEqualTo(TaskRecord.State.RUNNING);
    assertThat(stuck.error()).isEqualTo("The store is away");

    TaskProgress none = changed(0);
    TaskRun unused = run(stuck);
    checkpoint.save(none).toCompletableFuture().join();
    assertThat(record()).usingRecursiveComparison().isEqualTo(stuck);
    checkpoint.save(changed(1)).toCompletableFuture().join();
    assertThat(record().error()).isNull();
  }

  @Test
  void taskThatTheStoreRefuses_failsAfterAnHour() {
    RuntimeException refused = new StoreRefusedException("No right to 'q'", null);
    assertThat(isTriedAgain(begun, refused)).isTrue();
    clock.advance(Duration.ofHours(2));
    assertThat(isTriedAgain(record(), refused)).as("it has done more in between").isTrue();
    task.changed = 0;
    clock.advance(Duration.ofMinutes(59));
    assertThat(isTriedAgain(record(), refused)).isTrue();
    assertThat(record().error()).isEqualTo("No right to 'q'");
    clock.advance(Duration.ofMinutes(1));
    assertThat(isTriedAgain(record(), refused)).isFalse();
    assertThat(record().state()).isEqualTo(TaskRecord.State.FAILED);
  }

  @Test
  void failureWithoutTheLease_isLeftToTheProcessThatHoldsIt() {
    save(TaskRecord.State.DONE, 7);
    isLost = true;
    assertThat(isTriedAgain(begun, new IllegalArgumentException("wrong"))).isFalse();
    assertThat(record().state()).isEqualTo(TaskRecord.State.DONE);
  }
}
