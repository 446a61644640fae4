package io.punctual.view;

import io.punctual.WorkerInfo;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A worker of any process.
 *
 * @param id the id of the worker
 * @param queue the name of its queue
 * @param name the name of the worker
 * @param host the name of its host
 * @param pid the id of its process
 * @param concurrency how many calls of its handler may run at once
 * @param figures the figures at the last announcement, or null if they are not known
 * @param paused whether this worker is paused, by its process or by an operator
 * @param pausedByOperator whether an operator has paused it
 * @param version the version of Punctual
 * @param startedAt its start, by the clock of its process
 * @param lastSeenAt when its process last renewed its entry, by the store's clock
 */
public record WorkerView(
    String id,
    String queue,
    String name,
    String host,
    long pid,
    int concurrency,
    @Nullable FiguresView figures,
    boolean paused,
    boolean pausedByOperator,
    String version,
    String startedAt,
    String lastSeenAt)
    implements View {
  /** Returns the view of a worker. */
  public static WorkerView of(WorkerInfo worker) {
    return new WorkerView(
        worker.id(),
        worker.queue(),
        worker.name(),
        worker.host(),
        worker.pid(),
        worker.concurrency(),
        worker.figures().map(FiguresView::of).orElse(null),
        worker.isPaused(),
        worker.isPausedByOperator(),
        worker.version(),
        Values.instant(worker.startedAt()),
        Values.instant(worker.lastSeenAt()));
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("id", id)
        .put("queue", queue)
        .put("name", name)
        .put("host", host)
        .put("pid", pid)
        .put("concurrency", concurrency)
        .fields(figures)
        .put("paused", paused)
        .put("pausedByOperator", pausedByOperator)
        .put("version", version)
        .put("startedAt", startedAt)
        .put("lastSeenAt", lastSeenAt)
        .toMap();
  }
}
