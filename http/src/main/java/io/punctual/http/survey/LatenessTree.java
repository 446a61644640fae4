package io.punctual.http.survey;

import io.punctual.Lateness;
import io.punctual.WorkerFigures;
import io.punctual.view.Tree;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How late all workers of a queue received their messages in the last minute. */
final class LatenessTree {
  private LatenessTree() {}

  static Map<String, @Nullable Object> of(String queue, List<WorkerFigures> figures) {
    Lateness lateness = Lateness.sum(figures.stream().map(WorkerFigures::lateness).toList());
    Duration recent =
        figures.stream()
            .map(WorkerFigures::recent)
            .max(Comparator.naturalOrder())
            .orElse(Duration.ZERO);
    List<Map<String, @Nullable Object>> buckets =
        lateness.buckets().stream()
            .map(
                bucket ->
                    new Tree()
                        .put("fromMillis", bucket.from())
                        .put("toMillis", bucket.to())
                        .put("count", bucket.count())
                        .toMap())
            .toList();
    return new Tree()
        .put("queue", queue)
        .put("workers", figures.size())
        .put("recentMillis", recent)
        .put("count", lateness.count())
        .put("p50Millis", lateness.percentile(50))
        .put("p95Millis", lateness.percentile(95))
        .put("p99Millis", lateness.percentile(99))
        .put("maxMillis", lateness.max())
        .put("buckets", buckets)
        .toMap();
  }
}
