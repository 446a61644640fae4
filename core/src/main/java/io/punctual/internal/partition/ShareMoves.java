package io.punctual.internal.partition;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.spi.LimitUse;
import io.punctual.spi.Partition;
import io.punctual.spi.ShareLedger;
import io.punctual.timer.Timeout;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Moves shares of a queue's limits to partitions whose shares prevent claims. Runs only after a
 * share has cut a claim short, so queues without such claims pay nothing. A run reads the {@link
 * LimitUse} of all partitions, makes a {@link SharePlan}, and replaces each {@link ShareLedger}
 * that changes. A partition that does not answer soon takes no part in the run. Several clients may
 * move shares at the same time, because a partition refuses to replace a ledger that has changed
 * since it was read. Thread-safe.
 */
final class ShareMoves {
  private static final Logger log = Logs.of(ShareMoves.class);

  /** The shortest time between the beginnings of two runs, in nanoseconds. */
  private static final long PAUSE_NANOS =
      TimeUnit.MILLISECONDS.toNanos(Partition.SHARES_MILLIS) * 4 / 5;

  /** The longest wait for the answers to one step of a run, in nanoseconds. */
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final String queue;
  private final Environment env;

  @GuardedBy("this") private boolean running;

  @GuardedBy("this") private @Nullable Long lastNanos;

  @GuardedBy("this") private SortedMap<Integer, LimitUse> before = new TreeMap<>();

  /** The partitions that have not answered an earlier request for the use of their limits. */
  @GuardedBy("this") private final Set<Integer> silent = new TreeSet<>();

  /** The partitions whose last request failed; their failures are logged once. */
  @GuardedBy("this") private final Set<Integer> failing = new TreeSet<>();

  ShareMoves(String queue, Environment env) {
    this.queue = queue;
    this.env = env;
  }

  /**
   * Begins a run, because a share has cut a claim short; does nothing if a run is in progress or
   * began a short time ago, or if the queue has a single partition.
   */
  void claimWasShort(List<PartitionClient> clients) {
    if (clients.size() > 1 && begin()) {
      CompletionStage<?> unused =
          StoreCall.stage(() -> run(clients.stream().map(PartitionClient::partition).toList()))
              .whenComplete((done, failure) -> ended(failure));
    }
  }

  private synchronized boolean begin() {
    long now = env.nanoTime();
    if (running || (lastNanos != null && now - lastNanos < PAUSE_NANOS)) {
      return false;
    }
    running = true;
    lastNanos = now;
    return true;
  }

  private void ended(@Nullable Throwable failure) {
    synchronized (this) {
      running = false;
    }
    if (failure != null) {
      log.warn(
          "Queue '{}': could not move shares of the limits between partitions, so a busy partition"
              + " may stay below the limits; the next claim tries again",
          queue,
          failure);
    }
  }

  private CompletionStage<SortedMap<Integer, LimitUse>> run(List<Partition> all) {
    return look(all)
        .thenCompose(
            uses -> {
              SharePlan plan = new SharePlan(all.size(), uses);
              plan.give(new ShareNeeds(all.size(), uses, replaceBefore(uses)));
              return replace(all, plan.changes(), uses);
            })
        .thenCompose(uses -> replace(all, new SharePlan(all.size(), uses).changes(), uses));
  }

  private synchronized SortedMap<Integer, LimitUse> replaceBefore(
      SortedMap<Integer, LimitUse> uses) {
    SortedMap<Integer, LimitUse> replaced = before;
    before = uses;
    return replaced;
  }

  private CompletionStage<SortedMap<Integer, LimitUse>> look(List<Partition> all) {
    Set<Integer> asked = new TreeSet<>();
    synchronized (this) {
      for (int index = 0; index < all.size(); index++) {
        if (silent.add(index)) {
          asked.add(index);
        }
      }
    }
    return ask(
        asked,
        index ->
            StoreCall.stage(all.get(index)::limitUse)
                .whenComplete((use, failure) -> hasAnswered(index)));
  }

  private synchronized void hasAnswered(int index) {
    silent.remove(index);
  }

  /**
   * Replaces the ledgers of partitions whose shares move. Returns the old uses of the unchanged
   * partitions, and the new uses of the changed partitions that answered.
   */
  private CompletionStage<SortedMap<Integer, LimitUse>> replace(
      List<Partition> all, Map<Integer, ShareLedger> ledgers, SortedMap<Integer, LimitUse> uses) {
    SortedMap<Integer, LimitUse> updated = new TreeMap<>(uses);
    updated.keySet().removeAll(ledgers.keySet());
    return ask(
            ledgers.keySet(), index -> replace(all.get(index), ledgers.get(index), uses.get(index)))
        .thenApply(
            answers -> {
              updated.putAll(answers);
              return updated;
            });
  }

  private static CompletionStage<Optional<LimitUse>> replace(
      Partition partition, @Nullable ShareLedger next, @Nullable LimitUse use) {
    return next == null || use == null
        ? CompletableFuture.completedStage(Optional.empty())
        : StoreCall.stage(() -> partition.moveShares(use.ledger(), next));
  }

  /** Asks several partitions at once; completes with the answers that arrive soon. */
  private CompletionStage<SortedMap<Integer, LimitUse>> ask(
      Set<Integer> indexes, IntFunction<CompletionStage<Optional<LimitUse>>> request) {
    SortedMap<Integer, LimitUse> answers = new TreeMap<>();
    CompletableFuture<?>[] asked =
        indexes.stream()
            .map(
                index ->
                    request
                        .apply(index)
                        .exceptionally(failure -> failed(index, failure))
                        .thenAccept(
                            use ->
                                use.ifPresent(
                                    present -> {
                                      add(answers, index, present);
                                      succeeded(index);
                                    }))
                        .toCompletableFuture())
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture<?> all = CompletableFuture.allOf(asked);
    return soon(all)
        .thenApply(
            done -> {
              synchronized (answers) {
                return new TreeMap<>(answers);
              }
            });
  }

  private static void add(SortedMap<Integer, LimitUse> answers, int index, LimitUse use) {
    synchronized (answers) {
      answers.put(index, use);
    }
  }

  private Optional<LimitUse> failed(int index, Throwable failure) {
    boolean isFirst;
    synchronized (this) {
      isFirst = failing.add(index);
    }
    if (isFirst) {
      log.warn(
          "Queue '{}': the limits of partition {} can't be read or moved, so its share stays as it"
              + " is; the next claims that a limit cuts short try again",
          queue,
          index,
          failure);
    }
    return Optional.empty();
  }

  private synchronized void succeeded(int index) {
    failing.remove(index);
  }

  /** Returns a stage that completes with {@code all}, or after a short time. */
  private CompletionStage<?> soon(CompletableFuture<?> all) {
    if (all.isDone()) {
      return all;
    }
    CompletableFuture<@Nullable Void> soon = new CompletableFuture<>();
    try {
      Timeout timeout = env.timer().schedule(WAIT_NANOS, () -> soon.complete(null));
      CompletableFuture<?> unused =
          all.whenComplete(
              (done, failure) -> {
                timeout.cancel();
                soon.complete(null);
              });
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the client", timerClosed);
      soon.complete(null);
    }
    return soon;
  }
}
