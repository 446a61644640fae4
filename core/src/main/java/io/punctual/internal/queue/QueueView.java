package io.punctual.internal.queue;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.internal.delivery.FailureRules;
import io.punctual.internal.message.Checks;
import io.punctual.internal.partition.MessageChanges;
import io.punctual.internal.partition.PendingChange;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue with the options of one {@code TimedQueue}. It sends changes and read requests for the
 * queue. Immutable.
 *
 * @param durability the required durability of changes, or null for the store's default
 * @param waiting the time-out of blocking calls
 * @param rules the rules for messages that fail
 */
public record QueueView<T>(
    ClientParts client,
    QueuePartitions partitions,
    Codec<T> codec,
    @Nullable Durability durability,
    Waiting waiting,
    FailureRules<T> rules) {
  public String queue() {
    return partitions.queue();
  }

  public Environment env() {
    return client.env();
  }

  /** Waits for the answer to a request, for the blocking forms of the API. */
  public <R> R await(Supplier<? extends Awaited<R>> request) {
    return waiting.await(request);
  }

  /** Returns the user's stage for a request, for the asynchronous forms of the API. */
  public <R> CompletionStage<R> visible(Awaited<R> request) {
    return env().callbacks().of(request.answer());
  }

  /** Changes one message. */
  public <R> Awaited<R> submit(Operation operation, Function<Outcome, R> read) {
    client.requireOpen();
    PendingChange<R> change = change(operation, read);
    partitions.turns().follow(List.of(change), () -> change.submit(durability));
    return change;
  }

  /** Changes many messages; nothing is sent if one of the ids is not valid. */
  public <R> Awaited<List<R>> submitAll(
      List<? extends Operation> operations, Function<Outcome, R> read) {
    return submitAll(operations.stream().map(operation -> change(operation, read)).toList());
  }

  /** Submits changes that {@link #change(Operation, Function)} created. */
  <R> Awaited<List<R>> submitAll(List<PendingChange<R>> pending) {
    client.requireOpen();
    MessageChanges<R> changes = new MessageChanges<>(partitions, pending);
    partitions.turns().follow(pending, () -> changes.submit(durability));
    return changes;
  }

  /** Creates a change to one message, which is not submitted yet. */
  public <R> PendingChange<R> change(Operation operation, Function<Outcome, R> read) {
    Checks.id(operation.id());
    OutcomeCallback<R> answer = new OutcomeCallback<>(read);
    new ChangeEvents(queue(), env().events()).publishEnd(operation, answer);
    return new PendingChange<>(partitions, operation, answer);
  }

  /** Sends a read request for the queue. */
  public <R> Awaited<R> ask(String what, StoreCall<R> question) {
    return client.question(named(what), () -> corrected(question));
  }

  /** Sends a change of the queue that is not a single operation of a session. */
  public <R> Awaited<R> change(String what, StoreCall<R> change) {
    return client.change(named(what), () -> corrected(change));
  }

  private String named(String what) {
    return "The " + what + " in queue '" + queue() + "'";
  }

  /** Sends a request, and repeats it if the number of partitions was stale. */
  public <R> CompletionStage<R> corrected(StoreCall<R> request) {
    return StoreCall.stage(request)
        .exceptionallyCompose(
            failure ->
                StoreFailures.unwrap(failure) instanceof Partition.PartitionCountException
                    ? client.correct(partitions).thenCompose(nothing -> request.ask())
                    : CompletableFuture.failedStage(failure));
  }

  public QueueView<T> with(@Nullable Durability other) {
    return new QueueView<>(client, partitions, codec, other, waiting, rules);
  }

  public QueueView<T> with(Waiting other) {
    return new QueueView<>(client, partitions, codec, durability, other, rules);
  }

  public QueueView<T> with(FailureRules<T> others) {
    return new QueueView<>(client, partitions, codec, durability, waiting, others);
  }
}
