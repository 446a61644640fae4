package io.punctual.internal;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.event.Event;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into schedule operations and their outcomes into answers. A made id that turns out
 * to be taken is a true collision, because a session never repeats an effect: another id is made.
 * Thread-safe.
 */
final class Scheduling<T> {
  private final QueueLanes lanes;
  private final Codec<T> codec;
  private final Environment env;
  private final MadeIds madeIds;
  private final @Nullable Durability durability;

  Scheduling(
      QueueLanes lanes,
      Codec<T> codec,
      Environment env,
      MadeIds madeIds,
      @Nullable Durability durability) {
    this.lanes = lanes;
    this.codec = codec;
    this.env = env;
    this.madeIds = madeIds;
    this.durability = durability;
  }

  /** A schedule in flight, with its id, which is made if the message has none. */
  record Pending(String id, CompletableFuture<Scheduled> answer) {}

  Pending schedule(Message<T> message, IfPresent ifPresent) {
    Operation.Schedule operation = operation(message, ifPresent);
    Answer answer = new Answer(operation, message.id().isEmpty());
    lanes.of(operation.id()).session().submit(operation, durability, answer);
    return new Pending(operation.id(), answer.future);
  }

  CompletableFuture<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    List<Answer> answers = new ArrayList<>(messages.size());
    for (Message<T> message : messages) {
      answers.add(new Answer(operation(message, ifPresent), message.id().isEmpty()));
    }
    Map<LaneClient, List<Answer>> byLane = new LinkedHashMap<>();
    for (Answer answer : answers) {
      byLane
          .computeIfAbsent(lanes.of(answer.operation.id()), lane -> new ArrayList<>())
          .add(answer);
    }
    byLane.forEach(this::submit);
    return CompletableFuture.allOf(
            answers.stream().map(answer -> answer.future).toArray(CompletableFuture<?>[]::new))
        .thenApply(all -> answers.stream().map(answer -> answer.future.join()).toList());
  }

  private void submit(LaneClient lane, List<Answer> answers) {
    List<Operation> operations = new ArrayList<>(answers.size());
    answers.forEach(answer -> operations.add(answer.operation));
    lane.session().submit(operations, durability, List.copyOf(answers));
  }

  private Operation.Schedule operation(Message<T> message, IfPresent ifPresent) {
    String id = message.id().orElseGet(madeIds::next);
    Checks.id(id);
    Checks.headers(message.headers());
    byte[] payload = codec.encode(message.payload());
    Checks.payload(payload, env.payloadLimit(), lanes.queue());
    long notAfter = message.notAfter().map(Scheduling::lastMillis).orElse(Content.ALWAYS);
    return new Operation.Schedule(
        id,
        DueTime.of(message.due()),
        message.id().isEmpty() ? IfPresent.REJECT : ifPresent,
        new Content(payload, message.headers(), notAfter));
  }

  /** A last moment is rounded down, as a due time is rounded up. */
  private static long lastMillis(Instant notAfter) {
    long unused = DueTime.instantMillis(notAfter);
    return notAfter.toEpochMilli();
  }

  private final class Answer implements Ticket {
    private final Operation.Schedule operation;
    private final boolean isMade;
    private final CompletableFuture<Scheduled> future = new CompletableFuture<>();

    Answer(Operation.Schedule operation, boolean isMade) {
      this.operation = operation;
      this.isMade = isMade;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      try {
        completed(OutcomeTicket.as(Outcome.OfSchedule.class, outcome));
      } catch (PunctualException e) {
        future.completeExceptionally(e);
      }
    }

    private void completed(Outcome.OfSchedule done) {
      if (isMade && done.outcome() == ScheduleOutcome.REJECTED) {
        again();
        return;
      }
      env.events()
          .publish(() -> new Event.MessageScheduled(lanes.queue(), operation.id(), done.outcome()));
      future.complete(
          new Scheduled(
              operation.id(),
              done.outcome(),
              Instant.ofEpochMilli(done.dueMillis()),
              Optional.ofNullable(done.previous())));
    }

    private void again() {
      Operation.Schedule other =
          new Operation.Schedule(
              madeIds.next(), operation.due(), operation.ifPresent(), operation.content());
      Answer answer = new Answer(other, true);
      lanes.of(other.id()).session().submit(other, durability, answer);
      CompletableFuture<?> unused =
          answer.future.whenComplete(
              (scheduled, failure) -> {
                if (failure == null) {
                  future.complete(scheduled);
                } else {
                  future.completeExceptionally(StoreFailures.unwrap(failure));
                }
              });
    }

    @Override
    public void failed(RuntimeException failure) {
      future.completeExceptionally(failure);
    }
  }
}
