package io.punctual.http.claim;

import io.punctual.Delivery;
import io.punctual.http.HttpLimits;
import io.punctual.http.problem.Problem;
import io.punctual.view.Outcome;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The polls that wait, with their limits. Thread-safe. */
final class Polls {
  private final Supplier<HttpLimits> limits;
  private final WaitingClaims waiting = new WaitingClaims();
  private final Map<String, Integer> byCaller = new ConcurrentHashMap<>();
  private final AtomicInteger all = new AtomicInteger();
  private final ThreadPoolExecutor ended =
      new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Polls::thread);
  private volatile boolean draining;

  Polls(Supplier<HttpLimits> limits) {
    this.limits = limits;
    ended.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "punctual-polls");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Completes the result of a poll that got nothing. Thousands can end in the same moment, on the
   * timer's thread, which due messages need; so a thread of its own answers them, and runs what
   * waits for the result.
   */
  <T> void afterWait(CompletableFuture<T> result, Supplier<T> answer) {
    Runnable end = () -> result.completeAsync(answer, Runnable::run);
    try {
      ended.execute(end);
    } catch (RejectedExecutionException e) {
      end.run();
    }
  }

  /** Returns whether new polls end at once. */
  boolean isDraining() {
    return draining;
  }

  /** Counts a poll of a caller, or refuses it. */
  void enter(String caller) {
    HttpLimits most = limits.get();
    if (all.incrementAndGet() > most.allPolls()) {
      all.decrementAndGet();
      throw tooMany("All callers together have " + most.allPolls() + " polls in flight");
    }
    if (byCaller.merge(caller, 1, Integer::sum) > most.polls()) {
      leave(caller);
      throw tooMany(
          "The caller has "
              + most.polls()
              + " polls in flight; let one poll claim for several handlers with max");
    }
  }

  /** Ends the count of a poll. */
  void leave(String caller) {
    all.decrementAndGet();
    byCaller.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
  }

  /** Ends a claim with an empty answer when the service drains. */
  void watch(CompletableFuture<List<Delivery<byte[]>>> claim) {
    waiting.add(claim, () -> draining);
  }

  void drain() {
    draining = true;
    waiting.endAll();
  }

  /** Drains, and ends the thread after the last answer. */
  void close() {
    drain();
    ended.shutdown();
  }

  private static RuntimeException tooMany(String detail) {
    return Problem.of(Outcome.TOO_MANY, detail).exception();
  }
}
