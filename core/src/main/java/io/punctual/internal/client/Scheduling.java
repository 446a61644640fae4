package io.punctual.internal.client;

import io.punctual.ClientBusyException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.event.Event;
import io.punctual.internal.partition.MessageChange;
import io.punctual.internal.partition.MessageChanges;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.IdGenerator;
import io.punctual.internal.runtime.Interceptors;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Turns messages into schedule operations, and outcomes into results. If the store reports that a
 * generated id is in use, the ids have collided, because a session never repeats an effect; the
 * message then gets a new id. Thread-safe.
 */
final class Scheduling<T> {
  private final QueueView<T> view;
  private final Environment env;
  private final IdGenerator ids;

  Scheduling(QueueView<T> view) {
    this.view = view;
    this.env = view.env();
    this.ids = view.client().ids();
  }

  /**
   * Schedules a message.
   *
   * @param roomNanos how long the calling thread waits for room in the backlog; 0 for not at all
   */
  Awaited<Scheduled> schedule(Message<T> message, IfPresent ifPresent, long roomNanos) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    Answer answer = answer(message, ifPresent);
    submit(List.of(answer), roomNanos, () -> answer.submit(view.durability()));
    return answer;
  }

  /** Schedules messages; the whole batch gets room in the backlog, or none of it. */
  Awaited<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent, long roomNanos) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    List<Answer> answers = new ArrayList<>(messages.size());
    try {
      messages.forEach(message -> answers.add(answer(message, ifPresent)));
    } catch (Throwable e) {
      answers.forEach(answer -> answer.notSubmitted(e));
      throw e;
    }
    MessageChanges<Scheduled> changes = new MessageChanges<>(view.partitions(), answers);
    submit(answers, roomNanos, () -> changes.submit(view.durability()));
    return changes;
  }

  private void submit(List<Answer> answers, long roomNanos, Runnable submit) {
    try {
      admit(answers, roomNanos, submit);
    } finally {
      answers.forEach(answer -> answer.intercepted.returned());
    }
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

  private Answer answer(Message<T> message, IfPresent ifPresent) {
    String id = message.id().orElseGet(ids::next);
    Checks.id(id);
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    Interceptors.Call intercepted = env.interceptors().schedule(view.queue(), id, message, headers);
    try {
      Content content = content(message, headers);
      boolean isGenerated = message.id().isEmpty();
      Operation.Schedule operation =
          new Operation.Schedule(
              id, DueTime.of(message.due()), isGenerated ? IfPresent.REJECT : ifPresent, content);
      return new Answer(operation, isGenerated, intercepted);
    } catch (Throwable e) {
      intercepted.returned();
      intercepted.ended(e);
      throw e;
    }
  }

  private Content content(Message<T> message, Map<String, String> headers) {
    byte[] payload = view.codec().encode(message.payload(), headers);
    Checks.headers(headers);
    Checks.payload(payload, env.payloadLimit(), view.queue());
    long notAfter = message.notAfter().map(Scheduling::lastMillis).orElse(Content.ALWAYS);
    return new Content(payload, Map.copyOf(headers), notAfter);
  }

  /** Rounds down, so that no handler receives a message after its last moment. */
  private static long lastMillis(Instant notAfter) {
    long unused = DueTime.instantMillis(notAfter);
    return notAfter.toEpochMilli();
  }

  private final class Answer implements OperationCallback, MessageChange<Scheduled> {
    private final boolean hasGeneratedId;
    private final Interceptors.Call intercepted;
    private final CompletableFuture<Scheduled> future = new CompletableFuture<>();
    private volatile Operation.Schedule operation;
    private volatile boolean withdrawn;

    Answer(Operation.Schedule operation, boolean hasGeneratedId, Interceptors.Call intercepted) {
      this.operation = operation;
      this.hasGeneratedId = hasGeneratedId;
      this.intercepted = intercepted;
      if (intercepted.isWatched()) {
        CompletableFuture<?> unused =
            future.whenComplete((scheduled, failure) -> intercepted.ended(failure));
      }
    }

    /** A later message of the batch is not valid, so that none is sent. */
    void notSubmitted(Throwable why) {
      intercepted.returned();
      future.completeExceptionally(why);
    }

    @Override
    public QueuePartitions partitions() {
      return view.partitions();
    }

    @Override
    public Operation operation() {
      return operation;
    }

    @Override
    public OperationCallback callback() {
      return this;
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
    public void markWithdrawn() {
      withdrawn = true;
    }

    @Override
    public void completed(Outcome outcome, long firstSentNanos) {
      try {
        completed(OutcomeCallback.as(Outcome.OfSchedule.class, outcome));
      } catch (PunctualException e) {
        failed(e);
      }
    }

    private void completed(Outcome.OfSchedule done) {
      if (hasGeneratedId && done.outcome() == ScheduleOutcome.REJECTED) {
        operation =
            new Operation.Schedule(
                ids.next(), operation.due(), operation.ifPresent(), operation.content());
        submit(view.durability());
        return;
      }
      String id = operation.id();
      env.events().publish(() -> new Event.MessageScheduled(view.queue(), id, done.outcome()));
      future.complete(
          new Scheduled(
              id,
              done.outcome(),
              Instant.ofEpochMilli(done.dueMillis()),
              Optional.ofNullable(done.previous())));
    }

    @Override
    public void failed(RuntimeException failure) {
      new ChangeEvents(view.queue(), env.events()).failed(operation, failure);
      future.completeExceptionally(failure);
    }
  }
}
