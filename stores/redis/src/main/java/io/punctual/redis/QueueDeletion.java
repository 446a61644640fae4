package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PunctualException;
import io.punctual.redis.client.Deployment;
import io.punctual.redis.client.Failures;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Deletes a queue, a partition at a time, the first partition last: until then the queue exists
 * with its number of partitions, so that a deletion that failed half way leaves a queue that works.
 *
 * <p>A note in the first partition shows that no other partition came into being during the
 * deletion. {@link PartitionCount#tell} removes the note after it created a partition; the first
 * partition then stays. For one deletion.
 */
final class QueueDeletion {
  private static final int TRIES = 3;

  private final Deployment deployment;
  private final QueueRegistry registry;
  private final PartitionCount count;
  private final String queue;
  private final byte[] id = UUID.randomUUID().toString().getBytes(US_ASCII);

  /** Whether a partition was deleted; a failure then no longer means that nothing was done. */
  private volatile boolean hasDeleted;

  QueueDeletion(Deployment deployment, QueueRegistry registry, String queue) {
    this.deployment = deployment;
    this.registry = registry;
    this.queue = queue;
    this.count = new PartitionCount(deployment, queue);
  }

  CompletableFuture<DeleteQueueOutcome> run() {
    return begin(TRIES)
        .thenCompose(
            outcome ->
                outcome == DeleteQueueOutcome.NOT_EMPTY
                    ? CompletableFuture.completedFuture(outcome)
                    : unlist().thenApply(nothing -> outcome))
        .exceptionallyCompose(this::failed);
  }

  private CompletableFuture<DeleteQueueOutcome> failed(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return CompletableFuture.failedFuture(
        hasDeleted
            ? new PunctualException(
                "The deletion ended half way; delete the queue again to finish it. "
                    + cause.getMessage(),
                cause)
            : cause);
  }

  /** The queue may have come into being again since; its producer then has listed it already. */
  private CompletableFuture<?> unlist() {
    return registry
        .remove(queue)
        .thenCompose(removed -> count.ask())
        .thenCompose(
            found ->
                found.isPresent() ? registry.add(queue) : CompletableFuture.completedFuture(null));
  }

  private CompletableFuture<DeleteQueueOutcome> begin(int tries) {
    if (tries == 0) {
      return CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_EMPTY);
    }
    return count
        .ask()
        .thenCompose(
            found ->
                found.isEmpty()
                    ? CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_FOUND)
                    : begin(found.getAsInt(), tries));
  }

  private CompletableFuture<DeleteQueueOutcome> begin(int partitions, int tries) {
    return step("begin", 0, partitions)
        .thenCompose(
            answer ->
                switch (answer) {
                  case "D" -> remove(partitions - 1, partitions, tries);
                  case "E" -> CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_EMPTY);
                  default -> begin(tries - 1);
                });
  }

  private CompletableFuture<DeleteQueueOutcome> remove(int index, int partitions, int tries) {
    if (index == 0) {
      return removeFirst(partitions, tries);
    }
    return removeOther(index, partitions)
        .thenCompose(
            answer ->
                answer.equals("E") ? cancel(partitions) : remove(index - 1, partitions, tries));
  }

  /** A partition with a different number of partitions is left over from an earlier deletion. */
  private CompletableFuture<String> removeOther(int index, int partitions) {
    return step("partition", index, partitions)
        .exceptionallyCompose(
            failure ->
                Failures.unwrap(failure) instanceof Partition.PartitionCountException leftOver
                    ? removeOther(index, leftOver.partitions())
                    : CompletableFuture.failedFuture(failure));
  }

  private CompletableFuture<DeleteQueueOutcome> removeFirst(int partitions, int tries) {
    return step("first", 0, partitions)
        .thenCompose(
            answer ->
                switch (answer) {
                  case "D" -> CompletableFuture.completedFuture(DeleteQueueOutcome.DELETED);
                  case "E" -> cancel(partitions);
                  case "U" -> CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_EMPTY);
                  default -> begin(tries - 1);
                });
  }

  private CompletableFuture<DeleteQueueOutcome> cancel(int partitions) {
    return step("cancel", 0, partitions).thenApply(answer -> DeleteQueueOutcome.NOT_EMPTY);
  }

  private CompletableFuture<String> step(String name, int index, int partitions) {
    PartitionKeys keys = new PartitionKeys(deployment.settings().namespace(), queue, index);
    List<byte[]> argv =
        List.of(Integer.toString(partitions).getBytes(US_ASCII), id, name.getBytes(US_ASCII));
    return deployment
        .run(PartitionScripts.REMOVE, keys.partition(), argv)
        .exceptionallyCompose(SpiFailures::failed)
        .thenApply(answer -> done(name, ReplyReader.read(answer, ReplyReader::nextText)))
        .exceptionallyCompose(failure -> absent(failure, index));
  }

  private String done(String step, String answer) {
    if (answer.equals("D") && (step.equals("partition") || step.equals("first"))) {
      hasDeleted = true;
    }
    return answer;
  }

  /** The first partition has another number of partitions if the queue is another one by now. */
  private static CompletableFuture<String> absent(Throwable failure, int index) {
    boolean isOther =
        index == 0 && Failures.unwrap(failure) instanceof Partition.PartitionCountException;
    return isOther || SpiFailures.isUnfounded(failure)
        ? CompletableFuture.completedFuture("N")
        : CompletableFuture.failedFuture(failure);
  }
}
