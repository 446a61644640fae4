package io.punctual.http.queue;

import io.punctual.Codec;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.TimedQueue;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Right;
import io.punctual.http.problem.Problems;
import io.punctual.http.route.Dispatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Opens and lists the queues of the store. Thread-safe. */
public final class Queues {
  private final Punctual punctual;

  /** Creates it for a store. */
  public Queues(Punctual punctual) {
    this.punctual = punctual;
  }

  /** Returns the client of the store. */
  public Punctual punctual() {
    return punctual;
  }

  /** Opens a queue, which need not exist. */
  public CompletionStage<TimedQueue<byte[]>> open(String name) {
    return punctual.queueAsync(name, Codec.bytes());
  }

  /**
   * Opens a queue that exists. Looks its name up first, so that requests for many names leave
   * nothing behind.
   */
  public CompletionStage<TimedQueue<byte[]>> existing(String name) {
    return info(name).thenCompose(info -> open(name));
  }

  /** Returns the counts of a queue, or fails if there is no such queue. */
  public CompletionStage<QueueInfo> info(String name) {
    return find(name)
        .thenApply(
            found ->
                found.orElseThrow(
                    () -> Problems.notFound("The store has no queue with this name")));
  }

  /** Returns the counts of a queue, or empty if there is no such queue. */
  public CompletionStage<Optional<QueueInfo>> find(String name) {
    return punctual
        .queuesAsync(QueueQuery.of(name).limit(1))
        .thenApply(page -> page.items().stream().filter(q -> q.name().equals(name)).findFirst());
  }

  /** Returns whether a caller has a right to a queue, which is not one of the server's own. */
  public static boolean sees(Caller caller, Right right, String queue) {
    return caller.may(right, queue) && !queue.startsWith(Dispatch.OWN_QUEUES);
  }

  /** Returns the names of all queues to which a caller has a right, sorted. */
  public CompletionStage<List<String>> names(Caller caller, Right right) {
    return punctual
        .queuesAsync()
        .thenApply(names -> names.stream().filter(name -> sees(caller, right, name)).toList());
  }

  /**
   * Lists a page of the queues to which a caller has a right, sorted by name.
   *
   * @param prefix the beginning of the names
   * @param after the last name of the page before
   */
  public CompletionStage<Page<QueueInfo>> list(
      Caller caller, Right right, String prefix, Optional<String> after, int limit) {
    List<String> prefixes = ranges(caller.prefixes(right), prefix);
    return list(prefixes, after, limit, new ArrayList<>());
  }

  private CompletionStage<Page<QueueInfo>> list(
      List<String> prefixes, Optional<String> after, int limit, List<QueueInfo> found) {
    if (prefixes.isEmpty() || found.size() == limit) {
      Optional<String> next =
          prefixes.isEmpty() || found.isEmpty()
              ? Optional.empty()
              : Optional.of(found.get(found.size() - 1).name());
      return CompletableFuture.completedFuture(new Page<>(found, next));
    }
    String prefix = prefixes.get(0);
    List<String> others = prefixes.subList(1, prefixes.size());
    boolean isBefore =
        after.isPresent() && after.get().compareTo(prefix) > 0 && !after.get().startsWith(prefix);
    if (isBefore) {
      return list(others, after, limit, found);
    }
    QueueQuery query = QueueQuery.of(prefix).limit(limit - found.size());
    boolean isWithin = after.isPresent() && after.get().startsWith(prefix);
    return punctual
        .queuesAsync(isWithin ? query.after(after.orElseThrow()) : query)
        .thenCompose(
            page -> {
              page.items().stream()
                  .filter(q -> !q.name().startsWith(Dispatch.OWN_QUEUES))
                  .forEach(found::add);
              return page.next().isPresent()
                  ? list(prefixes, page.next(), limit, found)
                  : list(others, Optional.empty(), limit, found);
            });
  }

  /** Returns the prefixes that are left of the granted ones, sorted and without overlaps. */
  private static List<String> ranges(List<String> granted, String prefix) {
    List<String> ranges = new ArrayList<>();
    for (String grant : granted) {
      String range = grant.startsWith(prefix) ? grant : prefix.startsWith(grant) ? prefix : null;
      boolean isNew = range != null && ranges.stream().noneMatch(range::startsWith);
      if (range != null && isNew) {
        ranges.add(range);
      }
    }
    return ranges;
  }
}
