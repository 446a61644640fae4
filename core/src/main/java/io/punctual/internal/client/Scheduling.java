package io.punctual.internal.client;

import io.punctual.ClientBusyException;
import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.event.Event;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.IdGenerator;
import io.punctual.internal.runtime.OperationFailures;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into schedule operations, and outcomes into results. If the store reports that a
 * generated id is in use, the ids have collided, because a session never repeats an effect; the
 * message then gets a new id. Thread-safe.
 */
final class Scheduling<T> {
  private final QueuePartitions partitions;
  private final Codec<T> codec;
  private final Environment env;
  private final IdGenerator ids;
  private final @Nullable Durability durability;

  Scheduling(
      QueuePartitions partitions,
      Codec<T> codec,
      Environment env,
      IdGenerator ids,
      @Nullable Durability durability) {
    this.partitions = partitions;
    this.codec = codec;
    this.env = env;
    this.ids = ids;
    this.durability = durability;
  }

  /**
   * Schedules a message.
   *
   * @param roomNanos how long the calling thread waits for room in the backlog; 0 for not at all
   */
  Awaited<Scheduled> schedule(Message<T> message, IfPresent ifPresent, long roomNanos) {
    Answer answer = answer(message, ifPresent);
    admit(List.of(answer), roomNanos, answer::submit);
    return answer;
  }

  /** Schedules messages; the whole batch gets room in the backlog, or none of it. */
  Awaited<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent, long roomNanos) {
    List<Answer> answers = new ArrayList<>(messages.size());
    for (Message<T> message : messages) {
      answers.add(answer(message, ifPresent));
    }
    admit(answers, roomNanos, () -> submitAll(answers));
    return new Answers(answers, all(answers));
  }

  private void admit(List<Answer> answers, long roomNanos, Runnable submit) {
    long bytes = answers.stream().mapToLong(answer -> Backlog.bytesOf(answer.operation)).sum();
    try {
      env.backlog().reserve(bytes, roomNanos);
    } catch (ClientBusyException busy) {
      answers.forEach(answer -> answer.failed(busy));
      return;
    }
    try {
      submit.run();
    } finally {
      env.backlog().release(bytes);
    }
  }

  private void submitAll(List<Answer> answers) {
    Map<PartitionClient, List<Answer>> byPartition = new LinkedHashMap<>();
    for (Answer answer : answers) {
      byPartition
          .computeIfAbsent(partitions.of(answer.id()), partition -> new ArrayList<>())
          .add(answer);
    }
    byPartition.forEach(this::submit);
  }

  private CompletableFuture<List<Scheduled>> all(List<Answer> answers) {
    return CompletableFuture.allOf(
            answers.stream().map(Answer::answer).toArray(CompletableFuture<?>[]::new))
        .handle(
            (nothing, failure) -> {
              if (failure != null) {
                throw worst(answers, StoreFailures.unwrap(failure));
              }
              return answers.stream().map(answer -> answer.future.join()).toList();
            });
  }

  /**
   * Reports an unknown outcome first: "not done" would be wrong if any message may have been
   * stored.
   */
  private static CompletionException worst(List<? extends Awaited<?>> answers, Throwable any) {
    return answers.stream()
        .filter(answer -> answer.answer().isCompletedExceptionally())
        .map(answer -> StoreFailures.failure(answer.answer()))
        .filter(OutcomeUnknownException.class::isInstance)
        .findFirst()
        .map(CompletionException::new)
        .orElseGet(() -> new CompletionException(any));
  }

  private void submit(PartitionClient partition, List<Answer> answers) {
    List<Operation> operations = new ArrayList<>(answers.size());
    answers.forEach(answer -> operations.add(answer.operation));
    partition.session().submit(operations, durability, List.copyOf(answers));
  }

  private Answer answer(Message<T> message, IfPresent ifPresent) {
    return new Answer(operation(message, ifPresent), message.id().isEmpty());
  }

  private Operation.Schedule operation(Message<T> message, IfPresent ifPresent) {
    String id = message.id().orElseGet(ids::next);
    Checks.id(id);
    Checks.headers(message.headers());
    byte[] payload = codec.encode(message.payload());
    Checks.payload(payload, env.payloadLimit(), partitions.queue());
    long notAfter = message.notAfter().map(Scheduling::lastMillis).orElse(Content.ALWAYS);
    return new Operation.Schedule(
        id,
        DueTime.of(message.due()),
        message.id().isEmpty() ? IfPresent.REJECT : ifPresent,
        new Content(payload, message.headers(), notAfter));
  }

  /** Rounds down, so that no handler receives a message after its last moment. */
  private static long lastMillis(Instant notAfter) {
    long unused = DueTime.instantMillis(notAfter);
    return notAfter.toEpochMilli();
  }

  /** The results of a batch. */
  private final class Answers implements Awaited<List<Scheduled>> {
    private final List<Answer> answers;
    private final CompletableFuture<List<Scheduled>> all;

    Answers(List<Answer> answers, CompletableFuture<List<Scheduled>> all) {
      this.answers = answers;
      this.all = all;
    }

    @Override
    public CompletableFuture<List<Scheduled>> answer() {
      return all;
    }

    @Override
    public void withdraw() {
      Set<PartitionClient> theirs = new LinkedHashSet<>();
      for (Answer answer : answers) {
        answer.withdrawn = true;
        theirs.add(partitions.of(answer.id()));
      }
      theirs.forEach(partition -> partition.session().endWithdrawn());
    }

    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      long open = answers.stream().filter(answer -> !answer.future.isDone()).count();
      return new OutcomeUnknownException(
          "A batch for queue '"
              + partitions.queue()
              + "' "
              + why
              + ": "
              + open
              + " of its "
              + answers.size()
              + " messages may have been stored or not",
          null,
          cause);
    }
  }

  private final class Answer implements OperationCallback, Awaited<Scheduled> {
    private final boolean hasGeneratedId;
    private final CompletableFuture<Scheduled> future = new CompletableFuture<>();
    private volatile Operation.Schedule operation;
    private volatile boolean withdrawn;

    Answer(Operation.Schedule operation, boolean hasGeneratedId) {
      this.operation = operation;
      this.hasGeneratedId = hasGeneratedId;
    }

    String id() {
      return operation.id();
    }

    void submit() {
      partitions.of(id()).session().submit(operation, durability, this);
    }

    @Override
    public CompletableFuture<Scheduled> answer() {
      return future;
    }

    @Override
    public boolean isWithdrawn() {
      return withdrawn;
    }

    @Override
    public void withdraw() {
      withdrawn = true;
      partitions.of(id()).session().endWithdrawn();
    }

    @Override
    public RuntimeException unanswered(String why, @Nullable Throwable cause) {
      return OperationFailures.outcomeUnknown(operation, partitions.queue(), why, cause);
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      try {
        completed(OutcomeCallback.as(Outcome.OfSchedule.class, outcome));
      } catch (PunctualException e) {
        future.completeExceptionally(e);
      }
    }

    private void completed(Outcome.OfSchedule done) {
      if (hasGeneratedId && done.outcome() == ScheduleOutcome.REJECTED) {
        operation =
            new Operation.Schedule(
                ids.next(), operation.due(), operation.ifPresent(), operation.content());
        submit();
        return;
      }
      env.events()
          .publish(() -> new Event.MessageScheduled(partitions.queue(), id(), done.outcome()));
      future.complete(
          new Scheduled(
              id(),
              done.outcome(),
              Instant.ofEpochMilli(done.dueMillis()),
              Optional.ofNullable(done.previous())));
    }

    @Override
    public void failed(RuntimeException failure) {
      future.completeExceptionally(failure);
    }
  }
}
