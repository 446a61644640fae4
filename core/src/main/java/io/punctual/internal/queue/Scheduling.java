package io.punctual.internal.queue;

import io.punctual.ClientBusyException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.Scheduled;
import io.punctual.internal.partition.MessageChange;
import io.punctual.internal.partition.MessageChanges;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.partition.Turns;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Backlog;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.Errors;
import io.punctual.internal.runtime.IdGenerator;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.OperationCallback;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.Capability;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.timer.Timeout;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into schedule operations, and outcomes into results. If the store reports that a
 * generated id is in use, a different message has it, because a session never stores the same
 * message twice; the new message then gets a new id. Thread-safe.
 */
public final class Scheduling<T> {
  private final QueueView<T> view;
  private final Environment env;
  private final IdGenerator ids;
  private final QueueAdmin<T> admin;

  public Scheduling(QueueView<T> view) {
    this.view = view;
    this.env = view.env();
    this.ids = view.client().ids();
    this.admin = new QueueAdmin<>(view);
  }

  /**
   * Schedules a message.
   *
   * @param roomNanos how long the calling thread waits at most for room in the backlog; 0 for no
   *     wait
   */
  public Awaited<Scheduled> schedule(Message<T> message, IfPresent ifPresent, long roomNanos) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    PendingSchedule schedule = new PendingSchedule(ScheduleRequest.of(view, message, ifPresent));
    submit(List.of(schedule), roomNanos, () -> schedule.submit(view.durability()));
    return schedule;
  }

  /**
   * Schedules messages. The backlog has room for the whole batch, or rejects all of its messages.
   */
  public Awaited<List<Scheduled>> scheduleAll(
      Collection<Message<T>> messages, IfPresent ifPresent, long roomNanos) {
    view.client().requireOpen();
    Objects.requireNonNull(ifPresent, "ifPresent");
    List<PendingSchedule> schedules =
        ScheduleRequest.of(view, messages, ifPresent).stream().map(PendingSchedule::new).toList();
    MessageChanges<Scheduled> changes = new MessageChanges<>(view.partitions(), schedules);
    submit(schedules, roomNanos, () -> changes.submit(view.durability()));
    return changes;
  }

  private void submit(List<PendingSchedule> schedules, long roomNanos, Runnable submit) {
    try {
      admit(schedules, roomNanos, submit);
    } finally {
      schedules.forEach(schedule -> schedule.request.intercepted().returned());
    }
  }

  private void admit(List<PendingSchedule> schedules, long roomNanos, Runnable submit) {
    AtomicLong reserved = new AtomicLong();
    long bytes = 0;
    boolean mayReplace = false;
    for (PendingSchedule schedule : schedules) {
      bytes += Backlog.bytesOf(schedule.operation());
      mayReplace |= schedule.request.mayDropOccurrence();
    }
    try {
      env.backlog().reserve(bytes, roomNanos);
    } catch (ClientBusyException busy) {
      schedules.forEach(schedule -> schedule.failed(busy));
      return;
    }
    reserved.set(bytes);
    try {
      submitInTurn(schedules, mayReplace, submit, reserved);
    } catch (RuntimeException | Error e) {
      release(reserved);
      throw e;
    }
  }

  private void submitInTurn(
      List<PendingSchedule> schedules, boolean mayReplace, Runnable submit, AtomicLong reserved) {
    Turns turns = view.partitions().turns();
    if (mayReplace && view.client().has(Capability.BROWSE)) {
      turns.take(schedules, () -> replace(schedules, submit, reserved));
    } else {
      turns.follow(schedules, () -> submit(submit, reserved));
    }
  }

  private void submit(Runnable submit, AtomicLong reserved) {
    try {
      submit.run();
    } finally {
      release(reserved);
    }
  }

  /** Releases what a request has reserved in the backlog, once. */
  private void release(AtomicLong reserved) {
    env.backlog().release(reserved.getAndSet(0));
  }

  /**
   * Submits schedules after a look-up of the messages that recurring messages replace. Completes
   * when the schedules have ended, because the look-up of a later replacement needs their effect.
   */
  private CompletableFuture<?> replace(
      List<PendingSchedule> schedules, Runnable submit, AtomicLong reserved) {
    CompletableFuture<?> end =
        CompletableFuture.allOf(
            schedules.stream().map(PendingSchedule::answer).toArray(CompletableFuture<?>[]::new));
    try {
      CompletableFuture<?> found =
          lookUp(schedules.stream().filter(each -> each.request.mayDropOccurrence()).toList());
      Timeout late =
          env.orNow(env.operationTimeout(), () -> found.completeExceptionally(noAnswer()));
      CompletableFuture<?> unused =
          found.whenComplete(
              (nothing, failure) -> {
                late.cancel();
                submitFound(schedules, submit, reserved, failure);
              });
    } catch (RuntimeException | Error e) {
      release(reserved);
      throw e;
    }
    return end;
  }

  /** Submits schedules after their look-up, or fails them if it failed or an error strikes. */
  private void submitFound(
      List<PendingSchedule> schedules,
      Runnable submit,
      AtomicLong reserved,
      @Nullable Throwable failure) {
    try {
      if (failure != null) {
        throw Errors.sneak(StoreFailures.unwrap(failure));
      }
      submit.run();
    } catch (RuntimeException e) {
      schedules.forEach(schedule -> schedule.failed(e));
    } catch (Error e) {
      schedules.forEach(schedule -> schedule.failed(schedule.unanswered("met an error", e)));
    } finally {
      release(reserved);
    }
  }

  private RuntimeException noAnswer() {
    return StoreFailures.notDone(
        "The look-up before a replacement in queue '"
            + view.queue()
            + "' got no answer within "
            + env.operationTimeout().toMillis()
            + " ms, and nothing was replaced",
        env.lastFailure().get());
  }

  /** Looks up the present messages of recurring messages, and keeps their occurrences. */
  private CompletableFuture<?> lookUp(List<PendingSchedule> recurring) {
    return view.ask(
            "find before a replacement",
            () -> admin.entries(recurring.stream().map(schedule -> schedule.request.id()).toList()))
        .answer()
        .thenAccept(
            present -> {
              for (int i = 0; i < recurring.size(); i++) {
                PendingSchedule schedule = recurring.get(i);
                present
                    .get(i)
                    .map(schedule.request::keepingOccurrenceOf)
                    .ifPresent(kept -> schedule.request = kept);
              }
            });
  }

  private final class PendingSchedule implements OperationCallback, MessageChange<Scheduled> {
    private final CompletableFuture<Scheduled> future = new CompletableFuture<>();
    private volatile ScheduleRequest request;
    private volatile boolean withdrawn;

    PendingSchedule(ScheduleRequest request) {
      this.request = request;
      if (request.intercepted().isWatched()) {
        CompletableFuture<?> unused =
            future.whenComplete((scheduled, failure) -> request.intercepted().ended(failure));
      }
    }

    @Override
    public QueuePartitions partitions() {
      return view.partitions();
    }

    @Override
    public Operation operation() {
      return request.operation();
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
      } catch (RuntimeException | Error e) {
        future.completeExceptionally(e);
        throw e;
      }
    }

    private void completed(Outcome.OfSchedule done) {
      ScheduleRequest answered = request;
      if (answered.isCollision(done)) {
        request = answered.withId(ids.next());
        submit(view.durability());
        return;
      }
      Scheduled result = answered.result(done);
      try {
        env.events().publish(() -> answered.event(view.queue(), done.outcome()));
      } finally {
        future.complete(result);
      }
    }

    @Override
    public void failed(RuntimeException failure) {
      try {
        new ChangeEvents(view.queue(), env.events()).failed(operation(), failure);
      } finally {
        future.completeExceptionally(failure);
      }
    }
  }
}
