package io.punctual.internal.deadletter;

import io.punctual.Worker;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.internal.log.Logs;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Runs the retention of a worker: for the first time within a minute of the start of the worker,
 * and then a minute after each run. It ends with the worker. Its runs are in sequence.
 */
public final class RetentionLoop {
  private static final Logger log = Logs.of("io.punctual.deadletters");
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final QueueView<?> view;
  private final DeadLetterRetention retention;
  private final Worker worker;
  private final DeadLetterBound bound = new DeadLetterBound();
  private volatile boolean failed;

  public RetentionLoop(QueueView<?> view, DeadLetterRetention retention, Worker worker) {
    this.view = view;
    this.retention = retention;
    this.worker = worker;
  }

  /** Starts the loop, unless the retention keeps everything. */
  public void start() {
    if (!retention.keepsAll()) {
      // The first delay is random, so that the processes of a deployment do not all run at the same
      // time.
      schedule(view.env().randomGenerator().nextLong(INTERVAL_NANOS));
    }
  }

  private void schedule(long nanos) {
    try {
      view.env().timer().schedule(nanos, this::run);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The retention of queue '{}' has ended with its timer", view.queue());
    }
  }

  private void run() {
    if (worker.isClosed() || view.client().isClosed()) {
      return;
    }
    CompletableFuture<?> unused =
        StoreCall.stage(() -> new RetentionRun(view, retention, bound).start())
            .toCompletableFuture()
            .whenComplete((deleted, failure) -> ended(failure));
  }

  private void ended(@Nullable Throwable failure) {
    boolean isClosed = worker.isClosed() || view.client().isClosed();
    if (failure != null && !failed && !isClosed) {
      log.warn(
          "The retention of dead letters in queue '{}' has failed, and runs again in a minute",
          view.queue(),
          StoreFailures.unwrap(failure));
    } else if (failure == null && failed) {
      log.info("The retention of dead letters in queue '{}' continues", view.queue());
    }
    failed = failure != null;
    schedule(INTERVAL_NANOS);
  }
}
