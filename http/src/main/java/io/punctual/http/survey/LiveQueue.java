package io.punctual.http.survey;

import io.punctual.Lateness;
import io.punctual.QueueInfo;
import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.view.Cause;
import io.punctual.view.Diagnosis;
import io.punctual.view.Evidence;
import io.punctual.view.QueueView;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import io.punctual.view.View;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue with its workers and the diagnosis.
 *
 * @param info the queue and its counts
 * @param diagnosis why it is late, if it is
 * @param workers its workers, as of the last sample
 */
record LiveQueue(QueueInfo info, Diagnosis diagnosis, List<WorkerInfo> workers) implements View {
  static LiveQueue of(QueueInfo info, List<WorkerInfo> own, Evidence evidence) {
    return new LiveQueue(info, Diagnosis.of(evidence), own);
  }

  /** Returns the state in a word: late, limited, paused, ontime, or idle if there is nothing. */
  String state() {
    if (info.counts().paused()) {
      return "paused";
    }
    if (diagnosis.late()) {
      boolean isLimit =
          diagnosis.cause() == Cause.RATE_LIMIT || diagnosis.cause() == Cause.CONCURRENCY_LIMIT;
      return isLimit ? "limited" : "late";
    }
    long all = info.counts().scheduled() + info.counts().ready() + info.counts().leased();
    return all == 0 ? "idle" : "ontime";
  }

  /** Returns how much a queue needs somebody: late ones first, and idle ones last. */
  int rank() {
    return switch (state()) {
      case "late" -> 0;
      case "limited" -> 1;
      case "paused" -> 2;
      case "idle" -> 5;
      default -> info.counts().dead() > 0 ? 3 : 4;
    };
  }

  Lateness lateness() {
    return Lateness.sum(figures().stream().map(WorkerFigures::lateness).toList());
  }

  private List<WorkerFigures> figures() {
    return workers.stream().flatMap(worker -> worker.figures().stream()).toList();
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    Tree tree = new Tree().fields(QueueView.of(info)).put("state", state());
    if (diagnosis.cause() != Cause.NONE) {
      tree.put("cause", diagnosis.cause())
          .put("reason", diagnosis.reason())
          .put("next", diagnosis.next().isEmpty() ? null : diagnosis.next());
    }
    return tree.put("workers", workers.size())
        .put("concurrency", workers.stream().mapToInt(WorkerInfo::concurrency).sum())
        .put("lateness", tree(lateness()))
        .toMap();
  }

  /** Returns lateness as percentiles. */
  static Map<String, @Nullable Object> tree(Lateness lateness) {
    Tree tree = new Tree().put("count", lateness.count());
    if (lateness.count() > 0) {
      tree.put("p50Millis", Values.millis(lateness.percentile(50)))
          .put("p99Millis", Values.millis(lateness.percentile(99)))
          .put("maxMillis", Values.millis(lateness.max()));
    }
    return tree.toMap();
  }
}
