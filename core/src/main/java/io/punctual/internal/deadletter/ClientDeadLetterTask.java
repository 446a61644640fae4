package io.punctual.internal.deadletter;

import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreUnavailableException;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.deadletter.DeadLetterProgress;
import io.punctual.deadletter.DeadLetterTask;
import io.punctual.internal.deadletter.DeadLetterScan.Found;
import io.punctual.internal.deadletter.DeadLetterScan.ScannedPage;
import io.punctual.internal.log.Logs;
import io.punctual.internal.queue.PartitionCursor;
import io.punctual.internal.queue.QueueView;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Backoff;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.Waiting;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Changes the dead letters that match a filter, partition by partition, in steps: it counts the
 * dead letters of a partition, reads a page without payloads, and changes the matches of the page
 * in batches. It examines only as many dead letters as the partition has when the task reaches it,
 * so that a message that dies again does not keep the task alive. Its steps run in sequence on any
 * thread; any thread may read the progress.
 */
final class ClientDeadLetterTask implements DeadLetterTask {
  private static final Logger log = Logs.of("io.punctual.deadletters");
  private static final int LOGGED_REFUSALS = 10;
  private static final DeadLetterProgress NOTHING = new DeadLetterProgress(0, 0, 0, 0, 0, false);

  private final QueueView<?> view;
  private final String name;
  private final DeadLetterFilter filter;
  private final DeadLetterScan scan;
  private final Function<String, Operation> change;
  private final Pace pace;
  private final Runnable whenClosed = this::clientClosed;
  private final Backoff backoff = Backoff.ofCalls();
  private final CompletableFuture<DeadLetterProgress> end = new CompletableFuture<>();
  private final Deque<String> matches = new ArrayDeque<>();

  /** The position of the next page; empty at the start and after the last page. */
  private Optional<String> cursor = Optional.empty();

  private boolean isLastPageRead;

  /** The index of the partition whose dead letters {@link #left} counts, or -1 before the first. */
  private int counted = -1;

  /** The number of dead letters of the partition that are left to examine. */
  private long left;

  private boolean interrupted;
  private volatile boolean cancelled;
  private volatile DeadLetterProgress progress = NOTHING;

  /**
   * Creates a task.
   *
   * @param name the change, for the log and exceptions: "redrive" or "deletion"
   * @param change returns the operation for an id
   * @param perSecond the largest rate; {@link Integer#MAX_VALUE} means no limit
   */
  ClientDeadLetterTask(
      QueueView<?> view,
      String name,
      DeadLetterFilter filter,
      Function<String, Operation> change,
      int perSecond) {
    this.view = view;
    this.name = name;
    this.filter = filter;
    this.scan = new DeadLetterScan(view, filter);
    this.change = change;
    this.pace = new Pace(perSecond, view.env().nanoTime());
  }

  ClientDeadLetterTask start() {
    view.client().addTask(whenClosed);
    CompletableFuture<?> unused =
        AsyncLoop.run(this::step).whenComplete((nothing, failure) -> ended(failure));
    return this;
  }

  private void ended(@Nullable Throwable failure) {
    view.client().removeTask(whenClosed);
    DeadLetterProgress last = progress;
    BlockingGuard.callbacks(
        () -> {
          if (failure == null ? end.complete(last) : fail(StoreFailures.unwrap(failure))) {
            log.info("The {} has ended: {}", this, last);
          }
        });
  }

  private boolean fail(Throwable failure) {
    if (end.completeExceptionally(failure)) {
      log.warn("The {} ends early: {}: {}", this, progress, String.valueOf(failure.getMessage()));
    }
    return false;
  }

  /** Ends the task, because its client is closed. */
  private void clientClosed() {
    cancelled = true;
    ended(new ClientClosedException("The " + this + " has ended early: the client is closed"));
  }

  @Override
  public DeadLetterProgress progress() {
    return progress;
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public CompletionStage<DeadLetterProgress> done() {
    return view.env().callbacks().of(end.copy());
  }

  @Override
  public DeadLetterProgress await() {
    return Waiting.forEndOf(() -> new Awaited.Change<>("The " + this, end.copy()));
  }

  @Override
  public String toString() {
    return name + " of dead letters in queue '" + view.queue() + "'";
  }

  /** Executes a step; the result is whether there is a further step. */
  private CompletionStage<Boolean> step() {
    if (cancelled) {
      DeadLetterProgress p = progress;
      progress =
          new DeadLetterProgress(
              p.examined(), p.matched(), p.changed(), p.gone(), p.refused(), true);
      return CompletableFuture.completedStage(false);
    }
    view.client().requireOpen();
    if (!matches.isEmpty()) {
      int batch = Math.min(pace.batch(), matches.size());
      long wait = pace.waitFor(batch, view.env().nanoTime());
      return wait > 0 ? pause(wait) : changeSome(batch);
    }
    if (isLastPageRead || progress.matched() >= filter.limit()) {
      return CompletableFuture.completedStage(false);
    }
    return StoreCall.stage(() -> view.corrected(this::read))
        .handle(this::afterRead)
        .thenCompose(Function.identity());
  }

  private CompletionStage<Boolean> read() {
    int partitions = view.partitions().all().size();
    PartitionCursor from = PartitionCursor.parse(cursor, partitions);
    if (from.partition() != counted) {
      Partition partition = view.partitions().all().get(from.partition()).partition();
      return partition
          .countsNow()
          .thenApply(
              counts -> {
                counted = from.partition();
                left = counts.dead();
                return true;
              });
    }
    if (left <= 0) {
      cursor = from.after(null, partitions);
      isLastPageRead = cursor.isEmpty();
      return CompletableFuture.completedStage(true);
    }
    return scan.page(cursor, (int) Math.min(left, DeadLetterScan.PAGE)).thenApply(this::take);
  }

  private boolean take(ScannedPage page) {
    long room = filter.limit() - progress.matched();
    page.found().stream().limit(room).map(Found::id).forEach(matches::add);
    left -= Math.max(1, page.examined());
    cursor = page.next();
    isLastPageRead = cursor.isEmpty();
    add(page.examined(), matches.size(), 0, 0, 0);
    return true;
  }

  private CompletionStage<Boolean> afterRead(
      @Nullable Boolean answer, @Nullable Throwable failure) {
    if (failure == null) {
      succeeded();
      return CompletableFuture.completedStage(true);
    }
    RuntimeException reason = StoreFailures.ofQuestion("The " + this, failure);
    return reason instanceof StoreUnavailableException
        ? failed(reason)
        : CompletableFuture.failedStage(reason);
  }

  private CompletionStage<Boolean> changeSome(int count) {
    List<String> ids = new ArrayList<>();
    List<CompletableFuture<DeadLetterOutcome>> answers = new ArrayList<>();
    while (ids.size() < count) {
      String id = matches.remove();
      ids.add(id);
      answers.add(
          StoreCall.stage(() -> view.submit(change.apply(id), ClientDeadLetters::outcome).answer())
              .toCompletableFuture());
    }
    pace.sent(count);
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .handle((all, failure) -> answered(ids, answers))
        .thenCompose(Function.identity());
  }

  private CompletionStage<Boolean> answered(
      List<String> ids, List<CompletableFuture<DeadLetterOutcome>> answers) {
    RuntimeException outage = null;
    int changed = 0;
    int gone = 0;
    int refused = 0;
    for (int i = ids.size() - 1; i >= 0; i--) {
      CompletableFuture<DeadLetterOutcome> answer = answers.get(i);
      if (!answer.isCompletedExceptionally()) {
        changed += answer.join() == DeadLetterOutcome.DONE ? 1 : 0;
        gone += answer.join() == DeadLetterOutcome.DONE ? 0 : 1;
        continue;
      }
      Throwable failure = StoreFailures.failure(answer);
      if (failure instanceof ClientClosedException) {
        return CompletableFuture.failedStage(failure);
      } else if (isOutage(failure)) {
        matches.addFirst(ids.get(i));
        outage = (RuntimeException) failure;
      } else if (failure instanceof NotConfirmedException) {
        changed++;
      } else {
        refused++;
        refused(ids.get(i), failure);
      }
    }
    add(0, 0, changed, gone, refused);
    if (outage != null) {
      return failed(outage);
    }
    succeeded();
    return CompletableFuture.completedStage(true);
  }

  private static boolean isOutage(Throwable failure) {
    return failure instanceof StoreUnavailableException
        || failure instanceof OutcomeUnknownException
        || failure instanceof ClientBusyException;
  }

  private void refused(String id, Throwable failure) {
    long before = progress.refused();
    if (before < LOGGED_REFUSALS) {
      log.warn("The {} leaves out '{}'", this, id, failure);
    }
  }

  private void add(long examined, long matched, long changed, long gone, long refused) {
    DeadLetterProgress p = progress;
    progress =
        new DeadLetterProgress(
            p.examined() + examined,
            p.matched() + matched,
            p.changed() + changed,
            p.gone() + gone,
            p.refused() + refused,
            p.cancelled());
  }

  private CompletionStage<Boolean> failed(RuntimeException reason) {
    if (!interrupted) {
      interrupted = true;
      log.warn("The {} waits for the store: {}", this, progress, reason);
    }
    return pause(Math.max(1, backoff.failed(view.env().randomGenerator())));
  }

  private void succeeded() {
    if (interrupted) {
      interrupted = false;
      log.info("The {} continues: {}", this, progress);
    }
    backoff.reset();
  }

  private CompletionStage<Boolean> pause(long nanos) {
    return AsyncLoop.pause(view.env().timer(), nanos);
  }
}
