package io.punctual.http.message;

import io.punctual.BatchException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.http.json.JsonInput;
import io.punctual.http.problem.Problem;
import io.punctual.http.problem.Problems;
import io.punctual.view.Outcome;
import io.punctual.view.Outcomes;
import io.punctual.view.ScheduledView;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Several messages of one request, with one result each. A line of NDJSON that can't be read has a
 * problem as its result, and the other lines are scheduled. A JSON array is read as a whole.
 */
final class Batch {
  /** The largest number of messages. */
  static final int MOST = 1000;

  private final List<Item> items;

  /** A message with its result; without a draft, it could not be read. */
  private static final class Item {
    final @Nullable Draft draft;

    /** The number of the line, from 1; 0 in an array. */
    final int line;

    volatile @Nullable Scheduled scheduled;
    volatile @Nullable Problem problem;

    Item(@Nullable Draft draft, int line, @Nullable Problem problem) {
      this.draft = draft;
      this.line = line;
      this.problem = problem;
    }

    Map<String, @Nullable Object> tree() {
      Map<String, @Nullable Object> tree = new LinkedHashMap<>();
      if (line > 0) {
        tree.put("line", line);
      }
      Scheduled stored = scheduled;
      Problem failed = problem;
      if (stored != null) {
        tree.putAll(Batch.tree(stored));
        tree.put("status", Outcomes.of(stored.outcome()).status());
      } else if (failed != null) {
        tree.put("status", failed.view().status());
        tree.put("problem", failed.view().tree());
      }
      return tree;
    }
  }

  private Batch(List<Item> items) {
    this.items = items;
  }

  static Batch of(List<Draft> drafts) {
    return new Batch(drafts.stream().map(draft -> new Item(draft, 0, null)).toList());
  }

  static Batch ofLines(byte[] body, int mostPayload) {
    List<Item> items = new ArrayList<>();
    int from = 0;
    for (int line = 1; from < body.length; line++) {
      int end = from;
      while (end < body.length && body[end] != '\n') {
        end++;
      }
      if (!isBlank(body, from, end)) {
        if (items.size() == MOST) {
          throw Problems.invalid(
              "More than " + MOST + " lines; send them in several requests. Nothing was stored");
        }
        items.add(item(body, from, end, line, mostPayload));
      }
      from = end + 1;
    }
    if (items.isEmpty()) {
      throw Problems.invalid("The body has no lines; send a JSON object in each");
    }
    return new Batch(items);
  }

  private static Item item(byte[] body, int from, int end, int line, int mostPayload) {
    try {
      Draft draft = JsonInput.read(body, from, end, input -> Draft.read(input, mostPayload));
      return new Item(draft, line, null);
    } catch (RuntimeException e) {
      return new Item(null, line, Problems.of(e));
    }
  }

  private static boolean isBlank(byte[] body, int from, int end) {
    for (int i = from; i < end; i++) {
      if (body[i] != ' ' && body[i] != '\r' && body[i] != '\t') {
        return false;
      }
    }
    return true;
  }

  /**
   * Schedules the messages, and returns their results in the order of the request. Fails if the
   * store is away for all of them, and it is the same for all whether they are stored.
   */
  CompletionStage<List<Map<String, @Nullable Object>>> schedule(TimedQueue<byte[]> queue) {
    Map<IfPresent, List<Item>> byMode = new EnumMap<>(IfPresent.class);
    for (Item item : items) {
      Draft draft = item.draft;
      if (draft != null) {
        byMode.computeIfAbsent(draft.ifPresent(), mode -> new ArrayList<>()).add(item);
      }
    }
    List<CompletableFuture<?>> calls = new ArrayList<>();
    byMode.forEach((mode, some) -> calls.add(schedule(queue, mode, some)));
    return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> results());
  }

  private static CompletableFuture<?> schedule(
      TimedQueue<byte[]> queue, IfPresent mode, List<Item> items) {
    List<Message<byte[]>> messages = new ArrayList<>(items.size());
    for (Item item : items) {
      Draft draft = item.draft;
      if (draft != null) {
        messages.add(draft.message());
      }
    }
    return queue
        .async()
        .scheduleAll(messages, mode)
        .<@Nullable Void>handle(
            (results, failure) -> {
              keep(items, results, failure);
              return null;
            })
        .toCompletableFuture();
  }

  private static void keep(
      List<Item> items, @Nullable List<Scheduled> results, @Nullable Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      if (results != null) {
        item.scheduled = results.get(i);
      } else if (cause instanceof BatchException batch && i < batch.outcomes().size()) {
        keep(item, batch.outcomes().get(i));
      } else if (cause != null) {
        item.problem = Problems.of(cause);
      }
    }
  }

  private static void keep(Item item, BatchException.Outcome outcome) {
    if (outcome.result().orElse(null) instanceof Scheduled scheduled) {
      item.scheduled = scheduled;
    } else {
      item.problem =
          outcome
              .failure()
              .map(Problems::of)
              .orElseGet(() -> Problems.inDoubt("The store did not answer"))
              .about(null, outcome.id());
    }
  }

  private List<Map<String, @Nullable Object>> results() {
    Problem first = items.get(0).problem;
    if (first != null && items.stream().allMatch(item -> isAway(item, first.outcome().done()))) {
      throw first.exception();
    }
    return items.stream().map(Item::tree).toList();
  }

  /** A problem of the whole batch must be true of each item, for example that none was stored. */
  private static boolean isAway(Item item, Outcome.Done done) {
    Problem problem = item.problem;
    return problem != null && problem.view().status() >= 500 && problem.outcome().done() == done;
  }

  static Map<String, @Nullable Object> tree(Scheduled scheduled) {
    return ScheduledView.of(scheduled).tree();
  }
}
