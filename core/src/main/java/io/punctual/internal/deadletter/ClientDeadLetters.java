package io.punctual.internal.deadletter;

import io.punctual.MessageQuery;
import io.punctual.Page;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.deadletter.AsyncDeadLetters;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterQuery;
import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.deadletter.DeadLetters;
import io.punctual.internal.deadletter.DeadLetterScan.Found;
import io.punctual.internal.deadletter.DeadLetterScan.ScannedPage;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.Checks;
import io.punctual.internal.message.NewPayload;
import io.punctual.internal.queue.QueueAdmin;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Waiting;
import io.punctual.internal.session.OutcomeCallback;
import io.punctual.internal.task.ChangeSteps;
import io.punctual.internal.task.ClientTask;
import io.punctual.internal.task.TargetSource.Effect;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.task.Task;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;

/** The implementation of {@link DeadLetters} by a client. Thread-safe. */
public final class ClientDeadLetters<T> implements DeadLetters<T> {
  private static final Logger log = Logs.of("io.punctual.deadletters");

  private final QueueView<T> view;
  private final QueueAdmin<T> admin;
  private final AsyncDeadLetters<T> async;

  public ClientDeadLetters(QueueView<T> view, QueueAdmin<T> admin) {
    this.view = view;
    this.admin = admin;
    this.async = new AsyncClientDeadLetters<>(view, this);
  }

  @Override
  public AsyncDeadLetters<T> async() {
    return async;
  }

  @Override
  public Page<StoredMessage<T>> list(DeadLetterQuery query) {
    return view.await(() -> listing(query));
  }

  Awaited<Page<StoredMessage<T>>> listing(DeadLetterQuery query) {
    DeadLetterFilter filter = query.filter();
    int limit = query.limit();
    if (filter.withLimit(Long.MAX_VALUE).equals(DeadLetterFilter.ALL)) {
      MessageQuery dead = MessageQuery.of(State.DEAD).limit(limit);
      MessageQuery all = query.isNewestFirst() ? dead.newestFirst() : dead;
      return admin.browse(query.after().map(cursor -> all.after(cursor)).orElse(all));
    }
    view.client().requireOpen();
    DeadLetterScan scan = new DeadLetterScan(view, filter, query.isNewestFirst());
    return view.ask(
        "list of dead letters", () -> page(scan, query.after(), DeadLetterScan.PAGE, limit));
  }

  /**
   * Reads a page with at most {@code size} dead letters, without payloads, and then looks up the
   * matches. If more dead letters match than the limit allows, reads a smaller page again, because
   * a cursor is only known for the end of a page.
   */
  private CompletionStage<Page<StoredMessage<T>>> page(
      DeadLetterScan scan, Optional<String> cursor, int size, int limit) {
    return scan.page(cursor, size)
        .thenCompose(
            page ->
                page.found().size() > limit
                    ? page(scan, cursor, page.endOf(limit), limit)
                    : lookUp(page));
  }

  private CompletionStage<Page<StoredMessage<T>>> lookUp(ScannedPage page) {
    return admin
        .lookUps(page.found().stream().map(Found::id).toList())
        .thenApply(
            found ->
                new Page<>(
                    found.stream()
                        .flatMap(Optional::stream)
                        .filter(message -> message.state() == State.DEAD)
                        .toList(),
                    page.next()));
  }

  @Override
  public DeadLetterGroups groups(DeadLetterFilter filter) {
    Task<DeadLetterGroups> task = grouping(filter);
    try {
      return task.await();
    } finally {
      task.cancel();
    }
  }

  Task<DeadLetterGroups> grouping(DeadLetterFilter filter) {
    Objects.requireNonNull(filter, "filter");
    return ClientTask.start(view.client(), new DeadLetterGrouping(view, filter));
  }

  @Override
  public DeadLetterOutcome redrive(String id) {
    return view.await(() -> submit(new Operation.Redrive(id)));
  }

  @Override
  public DeadLetterOutcome redrive(String id, T payload) {
    return view.await(() -> edit(id, payload));
  }

  Awaited<DeadLetterOutcome> edit(String id, T payload) {
    view.client().requireOpen();
    Checks.id(id);
    return view.change(
        "redrive of '" + id + "' with a new payload",
        () ->
            view.partitions()
                .of(id)
                .partition()
                .find(id)
                .thenCompose(found -> edit(id, payload, found)));
  }

  private CompletionStage<DeadLetterOutcome> edit(String id, T payload, Optional<Entry> found) {
    if (found.isEmpty() || found.get().state() != State.DEAD) {
      return CompletableFuture.completedStage(
          found.isEmpty() ? DeadLetterOutcome.NOT_FOUND : DeadLetterOutcome.NOT_DEAD);
    }
    Content old = found.get().content();
    Content edited =
        NewPayload.inSameOccurrence(
            old == null ? Content.of(new byte[0]) : old,
            payload,
            view.codec(),
            view.env().payloadLimit(),
            view.queue());
    return submit(new Operation.Redrive(id, edited)).answer();
  }

  @Override
  public DeadLetterOutcome delete(String id) {
    return view.await(() -> submit(new Operation.DeleteDead(id)));
  }

  Awaited<DeadLetterOutcome> submit(Operation operation) {
    return view.submit(operation, ClientDeadLetters::outcome);
  }

  /** Changes a dead letter as a step of many. */
  static CompletionStage<Effect> change(QueueView<?> view, Operation operation) {
    return view.submit(operation, ClientDeadLetters::outcome)
        .answer()
        .thenApply(outcome -> outcome == DeadLetterOutcome.DONE ? Effect.CHANGED : Effect.GONE);
  }

  private static DeadLetterOutcome outcome(Outcome outcome) {
    return OutcomeCallback.as(Outcome.OfDeadLetter.class, outcome).outcome();
  }

  @Override
  public Task<TaskProgress> redrive(DeadLetterFilter filter, TaskOptions options) {
    return start("redrive", filter, Operation.Redrive::new, options);
  }

  @Override
  public Task<TaskProgress> delete(DeadLetterFilter filter, TaskOptions options) {
    return start("deletion", filter, Operation.DeleteDead::new, options);
  }

  @Override
  public long deleteBeyond(DeadLetterRetention retention) {
    // With many dead letters, all steps together may exceed the time-out, but each step is bounded.
    return Waiting.forEndOf(() -> deletionBeyond(retention));
  }

  Awaited<Long> deletionBeyond(DeadLetterRetention retention) {
    Objects.requireNonNull(retention, "retention");
    view.client().requireOpen();
    return view.client()
        .change(
            "The retention of dead letters in queue '" + view.queue() + "'",
            () -> new RetentionRun(view, retention, new DeadLetterBound()).start());
  }

  private Task<TaskProgress> start(
      String name,
      DeadLetterFilter filter,
      Function<String, Operation> change,
      TaskOptions options) {
    ChangeSteps steps =
        new ChangeSteps(
            name + " of dead letters in queue '" + view.queue() + "'",
            new DeadLetterTargets(view, filter, change, options.after()),
            filter.limit(),
            options,
            view.env(),
            log);
    return ClientTask.start(view.client(), steps);
  }
}
