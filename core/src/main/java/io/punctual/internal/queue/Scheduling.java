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
    submitInTurn(schedules, mayReplace, submit, bytes);
  }

  private void submitInTurn(
      List<PendingSchedule> schedules, boolean mayReplace, Runnable submit, long bytes) {
    Turns turns = view.partitions().turns();
    if (mayReplace && view.client().has(Capability.BROWSE)) {
      turns.take(schedules, () -> replace(schedules, submit, bytes));
    } else {
      turns.follow(schedules, () -> submit(submit, bytes));
    }
  }

  private void submit(Runnable submit, long bytes) {
    try {
      submit.run();
    } finally {
      env.backlog().release(bytes);
    }
  }

  /**
   * Submits schedules after a look-up of the messages that recurring messages replace. Completes
   * when the schedules have ended, because the look-up of a later replacement needs their effect.
   */
  private CompletableFuture<?> replace(
      List<PendingSchedule> schedules, Runnable submit, long bytes) {
    CompletableFuture<?> found =
        lookUp(schedules.stream().filter(each -> each.request.mayDropOccurrence()).toList());
    Timeout late = env.orNow(env.operationTimeout(), () -> found.completeExceptionally(noAnswer()));
    CompletableFuture<?> unused =
        found.whenComplete(
            (nothing, failure) -> {
              late.cancel();
              submit(failure == null ? submit : () -> fail(schedules, failure), bytes);
            });
    return CompletableFuture.allOf(
        schedules.stream().map(PendingSchedule::answer).toArray(CompletableFuture<?>[]::new));
  }

  private void fail(List<PendingSchedule> schedules, Throwable failure) {
    RuntimeException why = (RuntimeException) StoreFailures.unwrap(failure);
    schedules.forEach(schedule -> schedule.failed(why));
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
      }
    }

    private void completed(Outcome.OfSchedule done) {
      ScheduleRequest answered = request;
      if (answered.isCollision(done)) {
        request = answered.withId(ids.next());
        submit(view.durability());
        return;
      }
      env.events().publish(() -> answered.event(view.queue(), done.outcome()));
      future.complete(answered.result(done));
    }

    @Override
    public void failed(RuntimeException failure) {
      new ChangeEvents(view.queue(), env.events()).failed(operation(), failure);
      future.completeExceptionally(failure);
    }
  }
}
