package io.punctual.http.claim;

import io.punctual.BatchException;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.TimedQueue;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.view.Outcomes;
import io.punctual.view.Tree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends settlements, and describes their outcomes. */
final class Settling {
  private Settling() {}

  /** Returns one result for each settlement. Fails if none was done. */
  static CompletionStage<List<Map<String, @Nullable Object>>> settle(
      TimedQueue<byte[]> queue, List<Settlement> settlements) {
    if (settlements.isEmpty()) {
      return CompletableFuture.completedFuture(List.of());
    }
    return queue
        .async()
        .settle(settlements)
        .handle(
            (outcomes, failure) -> {
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              if (cause instanceof BatchException batch && !batch.outcomes().isEmpty()) {
                return batch.outcomes().stream().map(Settling::part).toList();
              }
              if (cause != null) {
                throw Problems.of(cause).exception();
              }
              List<Map<String, @Nullable Object>> results = new ArrayList<>(outcomes.size());
              for (int i = 0; i < outcomes.size(); i++) {
                results.add(result(settlements.get(i).id(), outcomes.get(i)));
              }
              return results;
            });
  }

  private static Map<String, @Nullable Object> part(BatchException.Outcome part) {
    if (part.result().orElse(null) instanceof SettleOutcome outcome) {
      return result(part.id(), outcome);
    }
    Problem problem =
        part.failure()
            .map(Problems::of)
            .orElseGet(() -> Problems.inDoubt("The store did not answer"));
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    tree.put("id", part.id());
    tree.put("status", problem.view().status());
    tree.put("problem", problem.view().tree());
    return tree;
  }

  private static Map<String, @Nullable Object> result(String id, SettleOutcome outcome) {
    return new Tree()
        .put("id", id)
        .put("outcome", outcome)
        .put("status", Outcomes.of(outcome).status())
        .toMap();
  }
}
