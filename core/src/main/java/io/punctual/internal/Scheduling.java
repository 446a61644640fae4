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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
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

  CompletableFuture<Scheduled> schedule(Message<T> message, IfPresent ifPresent) {
    CompletableFuture<Scheduled> future = new CompletableFuture<>();
    Answer answer =
        new Answer(
            operation(message, ifPresent),
            message.id().isEmpty(),
            (scheduled, failure) -> {
              if (failure == null) {
                future.complete(scheduled);
              } else {
                future.completeExceptionally(failure);
              }
            });
    lanes.of(answer.operation.id()).session().submit(answer.operation, durability, answer);
    return future;
  }

  CompletableFuture<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent) {
    List<Message<T>> all = List.copyOf(messages);
    Batch batch = new Batch(all.size());
    List<Answer> answers = new ArrayList<>(all.size());
    for (Message<T> message : all) {
      Operation.Schedule operation = operation(message, ifPresent);
      answers.add(new Answer(operation, message.id().isEmpty(), batch.place(answers.size())));
    }
    Map<LaneClient, List<Answer>> byLane = new LinkedHashMap<>();
    for (Answer answer : answers) {
      byLane
          .computeIfAbsent(lanes.of(answer.operation.id()), lane -> new ArrayList<>())
          .add(answer);
    }
    byLane.forEach(this::submit);
    return batch.future;
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

  /** Is told what became of a message, or why nobody can say. */
  private interface Told {
    void told(@Nullable Scheduled scheduled, @Nullable RuntimeException failure);
  }

  /** What became of many messages, in their order: complete once all have been told. */
  private static final class Batch {
    private final CompletableFuture<List<Scheduled>> future = new CompletableFuture<>();
    private final @Nullable Scheduled[] scheduled;
    private final @Nullable RuntimeException[] failures;
    private final AtomicInteger untold;

    Batch(int size) {
      scheduled = new Scheduled[size];
      failures = new RuntimeException[size];
      untold = new AtomicInteger(size);
      if (size == 0) {
        future.complete(List.of());
      }
    }

    /** Each place is told once, by any thread. */
    Told place(int index) {
      return (done, failure) -> {
        scheduled[index] = done;
        failures[index] = failure;
        if (untold.decrementAndGet() == 0) {
          complete();
        }
      };
    }

    private void complete() {
      List<Scheduled> all = new ArrayList<>(scheduled.length);
      for (int i = 0; i < scheduled.length; i++) {
        RuntimeException failure = failures[i];
        Scheduled done = scheduled[i];
        if (failure != null) {
          future.completeExceptionally(failure);
          return;
        }
        all.add(Objects.requireNonNull(done));
      }
      future.complete(Collections.unmodifiableList(all));
    }
  }

  private final class Answer implements Ticket {
    private final Operation.Schedule operation;
    private final boolean isMade;
    private final Told told;

    Answer(Operation.Schedule operation, boolean isMade, Told told) {
      this.operation = operation;
      this.isMade = isMade;
      this.told = told;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      Outcome.OfSchedule done;
      try {
        done = OutcomeTicket.as(Outcome.OfSchedule.class, outcome);
      } catch (PunctualException e) {
        failed(e);
        return;
      }
      if (isMade && done.outcome() == ScheduleOutcome.REJECTED) {
        again();
      } else {
        completed(done);
      }
    }

    private void completed(Outcome.OfSchedule done) {
      env.events()
          .publish(() -> new Event.MessageScheduled(lanes.queue(), operation.id(), done.outcome()));
      told.told(
          new Scheduled(
              operation.id(),
              done.outcome(),
              Instant.ofEpochMilli(done.dueMillis()),
              Optional.ofNullable(done.previous())),
          null);
    }

    private void again() {
      Operation.Schedule other =
          new Operation.Schedule(
              madeIds.next(), operation.due(), operation.ifPresent(), operation.content());
      lanes.of(other.id()).session().submit(other, durability, new Answer(other, true, told));
    }

    @Override
    public void failed(RuntimeException failure) {
      told.told(null, failure);
    }
  }
}
