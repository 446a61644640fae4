package io.punctual.internal.worker;

import io.punctual.WorkerOptions;
import io.punctual.WorkerPool;
import io.punctual.internal.handler.HandlerThreads;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.Environment;

/**
 * The permits and threads of one worker, or of several workers that share them. Thread-safe.
 *
 * @param env the environment of the client whose workers use the pool
 */
public record Pool(Environment env, ClaimThrottle throttle, HandlerThreads threads)
    implements WorkerPool {
  /**
   * Creates a pool with the concurrency and the threads of the options.
   *
   * @param name the name of its threads
   */
  public static Pool create(Environment env, String name, WorkerOptions options) {
    HandlerThreads threads =
        options
            .executor()
            .map(HandlerThreads::given)
            .orElseGet(() -> HandlerThreads.create(name, options.concurrency(), options.threads()));
    return new Pool(env, new ClaimThrottle(env, options.concurrency()), threads);
  }

  /** Returns the pool of a worker's options, or a new pool for the worker alone. */
  static Pool of(Environment env, String name, WorkerOptions options) {
    return options
        .pool()
        .map(shared -> shared(env, shared))
        .orElseGet(() -> create(env, name, options));
  }

  private static Pool shared(Environment env, WorkerPool shared) {
    if (shared instanceof Pool pool && pool.env().equals(env)) {
      return pool;
    }
    throw new IllegalArgumentException(
        "The pool belongs to a different Punctual; create it by workerPool of this queue's client");
  }

  @Override
  public int concurrency() {
    return throttle.concurrency();
  }

  @Override
  public void setConcurrency(int concurrency) {
    Checks.range(concurrency, 1, WorkerOptions.MAX_CONCURRENCY, "concurrency");
    throttle.concurrency(concurrency);
    threads.limit(throttle::concurrency);
  }

  /**
   * Ends the pool's own threads when they have run the accepted handlers. A user's executor stays
   * open.
   */
  void close() {
    threads.close();
  }

  @Override
  public String toString() {
    return "WorkerPool[concurrency=" + concurrency() + "]";
  }
}
