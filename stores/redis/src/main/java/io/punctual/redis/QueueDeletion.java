package io.punctual.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PunctualException;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Failures;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/**
 * Deletes the partitions of a queue in sequence, the first partition last. Until the first
 * partition is deleted, the queue exists with its number of partitions, so a deletion that fails
 * partway leaves a usable queue. The deletion first asks each partition whether it is empty, so
 * that it removes no partition if the queue has messages at that time.
 *
 * <p>The deletion begins with a note in the first partition. {@link PartitionCount#create} removes
 * the note before it creates a partition. If the note is gone at the end, a client has used the
 * queue during the deletion, and the first partition stays. For a single deletion.
 */
final class QueueDeletion {
  private static final int TRIES = 3;

  private final Deployment deployment;
  private final QueueRegistry registry;
  private final PartitionCount count;
  private final String queue;
  private final byte[] id = UUID.randomUUID().toString().getBytes(US_ASCII);

  /**
   * Whether a partition was deleted. From then on, a failure leaves the outcome of the deletion
   * unknown.
   */
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

  /** Removes the queue from the list, unless a producer has created and listed the queue again. */
  private CompletableFuture<OptionalInt> unlist() {
    return count
        .ask()
        .thenCompose(
            found ->
                found.isPresent()
                    ? CompletableFuture.completedFuture(found)
                    : registry
                        .remove(queue)
                        .thenCompose(removed -> count.ask())
                        .thenCompose(this::relist));
  }

  /**
   * Adds the queue to the list of queues again if a producer created the queue before this deletion
   * removed it from the list.
   */
  private CompletableFuture<OptionalInt> relist(OptionalInt found) {
    return found.isPresent()
        ? registry.add(queue).thenApply(added -> found)
        : CompletableFuture.completedFuture(found);
  }

  private CompletableFuture<DeleteQueueOutcome> begin(int tries) {
    if (tries == 0) {
      return CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_EMPTY);
    }
    return count
        .ask()
        .thenCompose(found -> found.isEmpty() ? checkUnfounded() : begin(found.getAsInt(), tries));
  }

  /** Checks a queue without a number of partitions, which a foreign program may have removed. */
  private CompletableFuture<DeleteQueueOutcome> checkUnfounded() {
    return step("check", 0, "")
        .thenApply(
            answer ->
                answer.equals("E") ? DeleteQueueOutcome.NOT_EMPTY : DeleteQueueOutcome.NOT_FOUND);
  }

  private CompletableFuture<DeleteQueueOutcome> begin(int partitions, int tries) {
    return firstStep("begin", partitions)
        .thenCompose(
            answer ->
                switch (answer) {
                  case "D" -> check(partitions - 1, partitions, tries);
                  case "E" -> CompletableFuture.completedFuture(DeleteQueueOutcome.NOT_EMPTY);
                  default -> begin(tries - 1);
                });
  }

  /**
   * Asks the partitions other than the first whether they are empty. If they are, starts to remove
   * the partitions.
   */
  private CompletableFuture<DeleteQueueOutcome> check(int index, int partitions, int tries) {
    if (index == 0) {
      return remove(partitions - 1, partitions, tries);
    }
    return otherStep("check", index, partitions)
        .thenCompose(
            answer ->
                answer.equals("E") ? cancel(partitions) : check(index - 1, partitions, tries));
  }

  private CompletableFuture<DeleteQueueOutcome> remove(int index, int partitions, int tries) {
    if (index == 0) {
      return removeFirst(partitions, tries);
    }
    return otherStep("partition", index, partitions)
        .thenCompose(
            answer ->
                answer.equals("E") ? cancel(partitions) : remove(index - 1, partitions, tries));
  }

  /**
   * Runs a step on a partition other than the first. If the partition does not exist, the script
   * runs again without a number: it finds messages of a partition that has lost its number, and
   * stops clients that are about to create the partition. A partition with a different number of
   * partitions is left over from an earlier deletion, and the step runs again with this number.
   */
  private CompletableFuture<String> otherStep(String name, int index, int partitions) {
    return step(name, index, Integer.toString(partitions))
        .thenCompose(
            answer ->
                answer.equals("N")
                    ? step(name, index, "")
                    : CompletableFuture.completedFuture(answer))
        .exceptionallyCompose(failure -> leftOver(failure, other -> otherStep(name, index, other)));
  }

  private static CompletableFuture<String> leftOver(
      Throwable failure, IntFunction<CompletableFuture<String>> repeat) {
    return Failures.unwrap(failure) instanceof Partition.PartitionCountException other
        ? repeat.apply(other.partitions())
        : CompletableFuture.failedFuture(failure);
  }

  private CompletableFuture<DeleteQueueOutcome> removeFirst(int partitions, int tries) {
    return firstStep("first", partitions)
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
    return firstStep("cancel", partitions).thenApply(answer -> DeleteQueueOutcome.NOT_EMPTY);
  }

  private CompletableFuture<String> firstStep(String name, int partitions) {
    return step(name, 0, Integer.toString(partitions));
  }

  private CompletableFuture<String> step(String name, int index, String partitions) {
    PartitionKeys keys = new PartitionKeys(deployment.settings().namespace(), queue, index);
    List<byte[]> argv = List.of(partitions.getBytes(US_ASCII), id, name.getBytes(US_ASCII));
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

  /**
   * Converts a failure that means "no such partition" into the reply N of a script that finds no
   * partition. A first partition with a different number of partitions belongs to a queue that was
   * created again, so it counts as missing.
   */
  private static CompletableFuture<String> absent(Throwable failure, int index) {
    boolean isOther =
        index == 0 && Failures.unwrap(failure) instanceof Partition.PartitionCountException;
    return isOther || SpiFailures.isUnfounded(failure)
        ? CompletableFuture.completedFuture("N")
        : CompletableFuture.failedFuture(failure);
  }
}
