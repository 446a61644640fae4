package io.punctual.jdbc.partition;

import io.punctual.spi.PartitionCounts;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The counts of a queue. Counting reads all messages of the queue, so at most one query runs at a
 * time. Callers that arrive during a query share the next query, unless the counts of the running
 * query are kept. The counts of a queue with {@link #MANY} messages or more are kept for ten times
 * as long as their query took, at most five seconds, unless {@link #forget} ends that earlier.
 * Other counts are never kept, and their query begins after the call. Thread-safe; the monitor
 * guards all state.
 */
final class SharedCounts {
  /** The counts of a queue are kept if it has at least this number of messages. */
  static final long MANY = 50_000;

  private static final int TIMES = 10;
  private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final Supplier<CompletionStage<PartitionCounts>> query;
  private final LongSupplier nanoTime;

  private @Nullable PartitionCounts kept;

  private long keptUntilNanos;

  private boolean running;

  /** The answer for the callers that have arrived since the start of the running query. */
  private @Nullable CompletableFuture<PartitionCounts> next;

  private long changes;

  SharedCounts(Supplier<CompletionStage<PartitionCounts>> query, LongSupplier nanoTime) {
    this.query = query;
    this.nanoTime = nanoTime;
  }

  /** Returns the counts: the kept counts, or the counts of a query that begins after this call. */
  CompletionStage<PartitionCounts> get() {
    CompletableFuture<PartitionCounts> answer;
    synchronized (this) {
      PartitionCounts known = kept();
      if (known != null) {
        return CompletableFuture.completedStage(known);
      }
      answer = next == null ? new CompletableFuture<>() : next;
      next = answer;
    }
    startNext();
    return answer.minimalCompletionStage();
  }

  /** Returns the kept counts, or null if there are none. */
  synchronized @Nullable PartitionCounts kept() {
    if (kept != null && keptUntilNanos - nanoTime.getAsLong() <= 0) {
      kept = null;
    }
    return kept;
  }

  /** Returns the number of calls of {@link #forget}. */
  synchronized long changes() {
    return changes;
  }

  /**
   * Keeps the counts if the queue has at least {@link #MANY} messages, unless this client has made
   * a change since the query began.
   *
   * @param nanos how long the query took
   * @param before the number of {@link #changes} when the query began
   * @return whether the counts are kept
   */
  synchronized boolean keep(PartitionCounts counts, long nanos, long before) {
    if (changes != before || total(counts) < MANY) {
      return false;
    }
    kept = counts;
    keptUntilNanos = nanoTime.getAsLong() + Math.min(MOST_NANOS, TIMES * nanos);
    return true;
  }

  /** Forgets the kept counts, because this client has made a change that they must show. */
  synchronized void forget() {
    changes++;
    kept = null;
  }

  private void startNext() {
    CompletableFuture<PartitionCounts> answer;
    long before;
    synchronized (this) {
      if (running || next == null) {
        return;
      }
      running = true;
      answer = next;
      next = null;
      before = changes;
    }
    long began = nanoTime.getAsLong();
    var unused =
        query
            .get()
            .whenComplete((counts, failure) -> ended(answer, counts, failure, began, before));
  }

  private void ended(
      CompletableFuture<PartitionCounts> answer,
      @Nullable PartitionCounts counts,
      @Nullable Throwable failure,
      long began,
      long before) {
    CompletableFuture<PartitionCounts> waiting = null;
    synchronized (this) {
      running = false;
      if (counts != null && keep(counts, nanoTime.getAsLong() - began, before)) {
        waiting = next;
        next = null;
      }
    }
    if (counts == null) {
      answer.completeExceptionally(
          failure == null ? new IllegalStateException("The query has no counts") : failure);
    } else {
      answer.complete(counts);
      if (waiting != null) {
        waiting.complete(counts);
      }
    }
    startNext();
  }

  static long total(PartitionCounts counts) {
    return counts.scheduled()
        + counts.ready()
        + counts.leased()
        + counts.dead()
        + counts.finished();
  }
}
