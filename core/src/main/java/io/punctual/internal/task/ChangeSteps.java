package io.punctual.internal.task;

import io.punctual.ClientBusyException;
import io.punctual.ClientClosedException;
import io.punctual.NotConfirmedException;
import io.punctual.OutcomeUnknownException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.runtime.AsyncLoop;
import io.punctual.internal.runtime.Awaited;
import io.punctual.internal.runtime.Backoff;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.task.TargetSource.Effect;
import io.punctual.internal.task.TargetSource.TargetPage;
import io.punctual.task.Checkpoint;
import io.punctual.task.TaskOptions;
import io.punctual.task.TaskProgress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The steps of a task that changes messages: it reads a page, saves its progress if there is a
 * checkpoint, and changes the matches of the page in batches. While the store is unavailable, most
 * tasks repeat a step after a pause. The steps run in sequence on any thread; any thread may read
 * the counts.
 */
public final class ChangeSteps implements TaskSteps<TaskProgress> {
  private static final int LOGGED_REFUSALS = 10;

  private final String name;
  private final TargetSource source;
  private final long limit;
  private final TaskOptions options;
  private final Environment env;
  private final Logger log;
  private final Pace pace;
  private final Backoff backoff = Backoff.ofCalls();
  private final Deque<Target> matches = new ArrayDeque<>();

  /** The first match beyond the limit, or null. */
  private @Nullable Target beyond;

  private boolean isLastPageRead;

  /** The position of the last checkpoint since the last page was read, or null. */
  private @Nullable TaskPosition saved;

  private boolean interrupted;
  private volatile TaskCounts counts = TaskCounts.NONE;

  /**
   * Creates the steps of a task.
   *
   * @param name the change, for the log and exceptions
   * @param limit the largest number of matches
   */
  public ChangeSteps(
      String name,
      TargetSource source,
      long limit,
      TaskOptions options,
      Environment env,
      Logger log) {
    this.name = name;
    this.source = source;
    this.limit = limit;
    this.options = options;
    this.env = env;
    this.log = log;
    this.pace = new Pace(options.perSecond(), env.nanoTime());
  }

  @Override
  public TaskCounts counts() {
    return counts;
  }

  @Override
  public TaskProgress result(TaskProgress last) {
    return last;
  }

  @Override
  public Awaited<TaskProgress> awaited(CompletableFuture<TaskProgress> end) {
    return new Awaited.Change<>("The " + this, end);
  }

  @Override
  public void ended(TaskProgress last, @Nullable Throwable failure) {
    if (failure == null) {
      log.info("The {} has ended: {}", this, last);
    } else {
      log.warn("The {} ends early: {}: {}", this, last, String.valueOf(failure.getMessage()));
    }
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public CompletionStage<Boolean> step() {
    Target first = matches.peek();
    if (first != null) {
      return changeNext(first);
    }
    if (isLastPageRead || counts.matched() >= limit) {
      return CompletableFuture.completedStage(false);
    }
    return StoreCall.stage(source::read).handle(this::afterRead).thenCompose(Function.identity());
  }

  private CompletionStage<Boolean> afterRead(
      @Nullable TargetPage page, @Nullable Throwable failure) {
    if (page != null) {
      succeeded();
      take(page);
      return CompletableFuture.completedStage(true);
    }
    Throwable cause = StoreFailures.unwrap(Objects.requireNonNull(failure));
    if (cause instanceof IllegalArgumentException) {
      return CompletableFuture.failedStage(cause);
    }
    RuntimeException reason = StoreFailures.ofQuestion("The " + this, cause);
    return reason instanceof StoreUnavailableException
        ? failed(reason)
        : CompletableFuture.failedStage(reason);
  }

  private void take(TargetPage page) {
    int room = (int) Math.min(page.targets().size(), limit - counts.matched());
    if (!options.isDryRun()) {
      matches.addAll(page.targets().subList(0, room));
    }
    beyond = room < page.targets().size() ? page.targets().get(room) : null;
    isLastPageRead = page.isLast();
    saved = null;
    counts = counts.read(page.examined(), room);
    if (matches.isEmpty() || counts.position().isEmpty()) {
      counts = counts.at(reached());
    }
  }

  /** Returns the position before the messages that the task has not changed yet. */
  private Optional<TaskPosition> reached() {
    Target next = matches.isEmpty() ? beyond : matches.element();
    return source.visit().map(visit -> next == null ? visit.position() : visit.position(next));
  }

  private CompletionStage<Boolean> changeNext(Target first) {
    if (!isSafe(first)) {
      return save();
    }
    int batch = Math.min(pace.batch(), matches.size());
    long wait = pace.waitFor(batch, env.nanoTime());
    return wait > 0 ? pause(wait) : changeSome(batch);
  }

  /** Returns whether a task that begins at the last checkpoint visits the message once at most. */
  private boolean isSafe(Target target) {
    return options.checkpoint().isEmpty() || (saved != null && source.isSafeAfter(saved, target));
  }

  private CompletionStage<Boolean> save() {
    Optional<TaskPosition> position = reached();
    TaskCounts now = counts.at(position);
    return saving(now)
        .thenApply(
            done -> {
              counts = now;
              saved = position.orElseThrow();
              return true;
            });
  }

  private CompletionStage<?> saving(TaskProgress progress) {
    Checkpoint checkpoint = options.checkpoint().orElseThrow();
    CompletableFuture<@Nullable Object> saving = new CompletableFuture<>();
    env.callbacks()
        .execute(
            () ->
                StoreCall.stage(() -> checkpoint.save(progress))
                    .whenComplete(
                        (done, failure) -> {
                          if (failure == null) {
                            saving.complete(null);
                          } else {
                            saving.completeExceptionally(StoreFailures.unwrap(failure));
                          }
                        }));
    return saving;
  }

  private CompletionStage<Boolean> changeSome(int most) {
    List<Target> batch = new ArrayList<>();
    List<CompletableFuture<Effect>> answers = new ArrayList<>();
    while (batch.size() < most && isSafe(matches.element())) {
      Target target = matches.remove();
      batch.add(target);
      answers.add(StoreCall.stage(() -> source.change(target)).toCompletableFuture());
    }
    pace.sent(batch.size());
    return CompletableFuture.allOf(answers.toArray(new CompletableFuture<?>[0]))
        .handle((all, failure) -> answered(batch, answers))
        .thenCompose(Function.identity());
  }

  private CompletionStage<Boolean> answered(
      List<Target> batch, List<CompletableFuture<Effect>> answers) {
    RuntimeException outage = null;
    Map<Effect, Integer> effects = new EnumMap<>(Effect.class);
    int refused = 0;
    for (int i = batch.size() - 1; i >= 0; i--) {
      CompletableFuture<Effect> answer = answers.get(i);
      Throwable failure = answer.isCompletedExceptionally() ? StoreFailures.failure(answer) : null;
      if (failure == null || failure instanceof NotConfirmedException) {
        Effect effect = failure == null ? answer.join() : Effect.CHANGED;
        effects.merge(effect, 1, Integer::sum);
        if (effect == Effect.CHANGED) {
          source.changed(batch.get(i));
        }
      } else if (failure instanceof ClientClosedException) {
        return CompletableFuture.failedStage(failure);
      } else if (isOutage(failure)) {
        matches.addFirst(batch.get(i));
        outage = (RuntimeException) failure;
      } else {
        if (counts.refused() + refused < LOGGED_REFUSALS) {
          log.warn("The {} leaves out '{}'", this, batch.get(i).id(), failure);
        }
        refused++;
      }
    }
    counts =
        counts
            .tried(
                effects.getOrDefault(Effect.CHANGED, 0),
                effects.getOrDefault(Effect.GONE, 0),
                effects.getOrDefault(Effect.LEASED, 0),
                refused)
            .at(reached());
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

  private CompletionStage<Boolean> failed(RuntimeException reason) {
    if (!source.outlivesOutages()) {
      return CompletableFuture.failedStage(reason);
    }
    if (!interrupted) {
      interrupted = true;
      log.warn("The {} waits for the store: {}", this, counts, reason);
    }
    return pause(Math.max(1, backoff.failed(env.randomGenerator())));
  }

  private void succeeded() {
    if (interrupted) {
      interrupted = false;
      log.info("The {} continues: {}", this, counts);
    }
    backoff.reset();
  }

  private CompletionStage<Boolean> pause(long nanos) {
    return AsyncLoop.pause(env.timer(), nanos);
  }
}
