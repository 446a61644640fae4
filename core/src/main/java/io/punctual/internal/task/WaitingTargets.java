package io.punctual.internal.task;

import io.punctual.CancelOutcome;
import io.punctual.RescheduleOutcome;
import io.punctual.State;
import io.punctual.internal.log.Logs;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.TimeRange;
import io.punctual.task.MessageChange;
import io.punctual.task.MessageFilter;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The waiting messages that match a filter. Their changes take effect only while a message waits
 * with the due time that the listing has shown.
 *
 * <p>A shift visits the messages against its direction: a shift to later times begins with the
 * latest message. So a shifted message is always behind the visit. All other changes begin with the
 * earliest message, and end at the message that was the latest when the visit of the partition
 * began, so that a producer does not keep the task alive. For one step at a time.
 */
public final class WaitingTargets implements TargetSource {
  private static final Logger log = Logs.of("io.punctual.tasks");

  private final QueueView<?> view;
  private final MessageFilter filter;
  private final MessageChange change;

  /** The shift in milliseconds, or 0. */
  private final long shift;

  private final EntryQuery query;
  private final PartitionVisit visit;

  /** The range of the due times in the partition, or null before it is known. */
  private @Nullable TimeRange range;

  /** Starts a task that changes the messages. */
  public static Task<TaskProgress> start(
      QueueView<?> view, MessageFilter filter, MessageChange change, TaskOptions options) {
    ChangeSteps steps =
        new ChangeSteps(
            name(change) + " of waiting messages in queue '" + view.queue() + "'",
            new WaitingTargets(view, filter, change, options.after()),
            filter.limit(),
            options,
            view.env(),
            log);
    return ClientTask.start(view.client(), steps);
  }

  private static String name(MessageChange change) {
    if (change instanceof MessageChange.Shift shift) {
      return "shift by " + shift.by();
    }
    return change instanceof MessageChange.Cancel ? "cancel" : "run now";
  }

  /**
   * Creates a source.
   *
   * @param after the position of an earlier task
   * @throws IllegalArgumentException if the position is not from a task of this queue, or the
   *     filter selects messages that the change can't change
   */
  WaitingTargets(
      QueueView<?> view, MessageFilter filter, MessageChange change, Optional<String> after) {
    this.view = view;
    this.filter = filter;
    this.change = change;
    this.shift = change instanceof MessageChange.Shift by ? by.by().toMillis() : 0;
    boolean runs = change instanceof MessageChange.RunNow;
    if (runs && filter.state().equals(Optional.of(State.READY))) {
      throw new IllegalArgumentException("READY messages are due already; leave out their state");
    }
    State state = runs ? State.SCHEDULED : filter.state().orElse(null);
    TimeRange due = TimeRange.of(filter.dueFrom(), filter.dueBefore());
    this.query =
        new EntryQuery(
            state == null ? State.SCHEDULED : state,
            state == null,
            due,
            shift > 0,
            !filter.headers().isEmpty());
    this.visit = new PartitionVisit(view, shift > 0, after);
  }

  @Override
  public CompletionStage<TargetPage> read() {
    return view.corrected(this::readOnce);
  }

  private CompletionStage<TargetPage> readOnce() {
    Partition partition = visit.partition();
    if (partition == null) {
      return CompletableFuture.completedStage(new TargetPage(List.of(), 0, true));
    }
    TimeRange known = range;
    return known == null
        ? begin(partition)
        : partition
            .browse(query.withRange(known), visit.cursor(), Partition.MAX_PAGE)
            .thenApply(this::page);
  }

  /** Finds the latest message of the partition. */
  private CompletionStage<TargetPage> begin(Partition partition) {
    TimeRange rest = visit.rest(query.range());
    EntryQuery newest = new EntryQuery(query.state(), query.withReady(), rest, true, false);
    return partition
        .browse(newest, null, 1)
        .thenApply(
            page -> {
              if (page.entries().isEmpty()) {
                visit.endPartition();
                return new TargetPage(List.of(), 0, visit.isOver());
              }
              range = new TimeRange(rest.fromMillis(), page.entries().get(0).dueMillis() + 1);
              return TargetPage.EMPTY;
            });
  }

  private TargetPage page(EntryPage page) {
    visit.hasRead(page.next(), page.entries(), Entry::dueMillis);
    if (page.next() == null) {
      range = null;
    }
    List<Target> targets =
        page.entries().stream()
            .filter(this::matches)
            .map(entry -> new Target(entry.id(), entry.dueMillis()))
            .toList();
    return new TargetPage(targets, page.entries().size(), visit.isOver());
  }

  private boolean matches(Entry entry) {
    return entry.id().startsWith(filter.idPrefix())
        && (filter.headers().isEmpty()
            || (entry.content() != null
                && entry.content().headers().entrySet().containsAll(filter.headers().entrySet())));
  }

  @Override
  public CompletionStage<Effect> change(Target target) {
    Operation operation =
        new Operation.ChangeWaiting(target.id(), target.timeMillis(), newDue(target));
    return change instanceof MessageChange.Cancel
        ? view.submit(operation, WaitingTargets::cancelled)
            .answer()
            .thenApply(
                outcome ->
                    switch (outcome) {
                      case CANCELLED -> Effect.CHANGED;
                      case RUNNING -> Effect.LEASED;
                      case DEAD, NOT_FOUND -> Effect.GONE;
                    })
        : view.submit(operation, WaitingTargets::rescheduled)
            .answer()
            .thenApply(
                outcome ->
                    switch (outcome) {
                      case RESCHEDULED -> Effect.CHANGED;
                      case RUNNING -> Effect.LEASED;
                      case DEAD, NOT_FOUND -> Effect.GONE;
                    });
  }

  private @Nullable DueTime newDue(Target target) {
    if (shift != 0) {
      Instant due = Instant.ofEpochMilli(target.timeMillis()).plusMillis(shift);
      return new DueTime(false, DueTime.instantMillis(due));
    }
    return change instanceof MessageChange.Cancel ? null : DueTime.NOW;
  }

  /** Returns the outcome of a cancel, as observers of events expect it. */
  private static CancelOutcome cancelled(Outcome outcome) {
    return switch (rescheduled(outcome)) {
      case RESCHEDULED -> CancelOutcome.CANCELLED;
      case RUNNING -> CancelOutcome.RUNNING;
      case DEAD -> CancelOutcome.DEAD;
      case NOT_FOUND -> CancelOutcome.NOT_FOUND;
    };
  }

  private static RescheduleOutcome rescheduled(Outcome outcome) {
    return OutcomeCallback.as(Outcome.OfReschedule.class, outcome).outcome();
  }

  @Override
  public Optional<PartitionVisit> visit() {
    return Optional.of(visit);
  }

  /** Returns whether a shifted message is behind a visit that begins at the position. */
  @Override
  public boolean isSafeAfter(TaskPosition saved, Target target) {
    if (shift == 0) {
      return true;
    }
    long landing = target.timeMillis() + shift;
    return saved.partition() == visit.position(target).partition()
        && (shift > 0 ? landing > saved.timeMillis() : landing < saved.timeMillis());
  }
}
