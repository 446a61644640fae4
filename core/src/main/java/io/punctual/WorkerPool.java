package io.punctual;

/**
 * Permits and threads that workers of several queues share: a process with a queue for each of a
 * thousand tenants needs neither a thousand threads nor a thousand times the concurrency.
 *
 * <pre>{@code
 * WorkerPool pool = punctual.workerPool(WorkerOptions.builder().concurrency(64).build());
 * WorkerOptions options = WorkerOptions.builder().pool(pool).build();
 * for (TimedQueue<Order> tenant : tenants) {
 *   tenant.work(options, handler);
 * }
 * }</pre>
 *
 * <p>While messages of several queues are due, the free permits are divided among these queues. A
 * queue that finds no free permit gets permits when it is its turn. A pool belongs to the {@link
 * Punctual} that created it, and needs no close: its own threads end when they are idle. Safe for
 * use by many threads.
 */
public interface WorkerPool {
  /** Returns how many calls of handlers may run at once in all workers of the pool. */
  int concurrency();

  /**
   * Changes the concurrency. A lower concurrency takes effect as running handlers end.
   *
   * @param concurrency 1 to 100,000
   */
  void setConcurrency(int concurrency);
}
