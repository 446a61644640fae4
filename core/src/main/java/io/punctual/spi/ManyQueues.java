package io.punctual.spi;

import io.punctual.spi.Partition.PartitionCountException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Asks many queues of a store, some of them at a time. Immutable. */
record ManyQueues(Store store) {
  private static final int COUNTED_AT_ONCE = 50;
  private static final int FOUND_AT_ONCE = 256;

  CompletionStage<List<QueueCounts>> counts(List<String> queues) {
    return ask(
        queues,
        COUNTED_AT_ONCE,
        partitions -> each(partitions, Partition::counts).thenApply(QueueCounts::sum));
  }

  CompletionStage<List<Optional<Entry>>> find(List<String> queues, String id) {
    return ask(
        queues,
        FOUND_AT_ONCE,
        partitions -> partitions.get(Partition.indexOf(id, partitions.size())).find(id));
  }

  CompletionStage<List<long[]>> forecast(
      List<String> queues, long fromMillis, long widthMillis, int buckets) {
    return ask(
        queues,
        COUNTED_AT_ONCE,
        partitions ->
            each(partitions, partition -> partition.forecast(fromMillis, widthMillis, buckets))
                .thenApply(
                    counts ->
                        IntStream.range(0, buckets)
                            .mapToLong(i -> counts.stream().mapToLong(each -> each[i]).sum())
                            .toArray()));
  }

  private <R> CompletionStage<List<R>> ask(
      List<String> queues, int atOnce, Function<List<Partition>, CompletionStage<R>> request) {
    return askRest(queues, atOnce, request, new ArrayList<>(queues.size()));
  }

  private <R> CompletionStage<List<R>> askRest(
      List<String> queues,
      int atOnce,
      Function<List<Partition>, CompletionStage<R>> request,
      List<R> answers) {
    int from = answers.size();
    if (from == queues.size()) {
      return CompletableFuture.completedStage(answers);
    }
    List<String> next = queues.subList(from, Math.min(queues.size(), from + atOnce));
    return each(next, queue -> ask(queue, request))
        .thenCompose(
            some -> {
              answers.addAll(some);
              return askRest(queues, atOnce, request, answers);
            });
  }

  /** Asks a queue; once more, if it was created again with other partitions meanwhile. */
  private <R> CompletionStage<R> ask(
      String queue, Function<List<Partition>, CompletionStage<R>> request) {
    return store
        .partitions(queue)
        .thenCompose(request)
        .exceptionallyCompose(
            failure ->
                isOfPartitionCount(failure)
                    ? store.partitions(queue).thenCompose(request)
                    : CompletableFuture.failedStage(failure));
  }

  private static boolean isOfPartitionCount(Throwable failure) {
    return failure instanceof PartitionCountException
        || (failure instanceof CompletionException
            && failure.getCause() instanceof PartitionCountException);
  }

  private static <E, R> CompletionStage<List<R>> each(
      List<E> elements, Function<E, CompletionStage<R>> request) {
    List<CompletableFuture<R>> answers =
        elements.stream().map(each -> request.apply(each).toCompletableFuture()).toList();
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }
}
