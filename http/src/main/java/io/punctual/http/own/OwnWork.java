package io.punctual.http.own;

import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.http.queue.Queues;
import io.punctual.http.token.StoredTokens;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** Runs tasks in this process, and removes records that may be forgotten, until it is closed. */
public final class OwnWork implements AutoCloseable {

  private final TaskRunner runner;
  private final Housekeeping housekeeping;

  OwnWork(TaskStore store, Queues queues, DueTimer timer, InstantSource clock) {
    runner = new TaskRunner(store, queues, timer, clock);
    housekeeping = new Housekeeping(queues, timer);
    WorkerOptions options =
        WorkerOptions.builder()
            .concurrency(TaskRunner.CONCURRENCY)
            .prefetch(0)
            .lease(TaskRunner.LEASE)
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(5)).maxAttempts(1_000_000))
            .shutdownGrace(Duration.ZERO)
            .build();
    housekeeping.start(TaskStore.TASKS, tasks -> tasks.workStages(options, runner::run));
    // What is due in these queues may be forgotten.
    for (String queue : List.of(TaskStore.RECORDS, Audit.QUEUE, StoredTokens.QUEUE)) {
      housekeeping.start(queue, records -> records.workStages(delivery -> TaskStore.nothing()));
    }
  }

  /** Hands the running tasks back, so that another process continues them. */
  @Override
  public void close() {
    runner.close();
    housekeeping.close();
  }
}
