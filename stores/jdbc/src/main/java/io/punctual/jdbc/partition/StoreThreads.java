package io.punctual.jdbc.partition;

import io.punctual.internal.log.Logs;
import io.punctual.spi.Partition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The threads that wait for the database, so that callers need not wait. Look-ups and purges use
 * separate threads, so that slow statements do not delay the calls that renew leases. So do
 * requests that read no messages, for example pauses. Safe for use by many threads.
 */
public final class StoreThreads implements Executor {
  /** The number of threads for look-ups and purges. */
  public static final int LOOK_UPS = 2;

  /** The number of threads for requests that read no messages. */
  public static final int CONTROLS = 1;

  private static final Logger log = Logs.of(StoreThreads.class);
  private static final long IDLE_SECONDS = 10;
  private static final long CLOSE_SECONDS = 5;

  private final ThreadPoolExecutor threads;
  private final ThreadPoolExecutor lookUps;
  private final ThreadPoolExecutor controls;
  private final Executor locked;
  private final ScheduledThreadPoolExecutor timer;

  /** The results of requests that pause between two steps. */
  private final Map<Object, CompletableFuture<?>> pausing = new ConcurrentHashMap<>();

  /**
   * Creates the threads. Each thread uses at most a single connection.
   *
   * @param threads the number of threads for calls
   */
  public StoreThreads(int threads) {
    this.threads = pool(threads, "punctual-jdbc-");
    lookUps = pool(LOOK_UPS, "punctual-jdbc-look-up-");
    controls = pool(CONTROLS, "punctual-jdbc-control-");
    locked = new LimitedExecutor(this.threads, Math.max(1, threads / 2), Runnable::run);
    timer = new ScheduledThreadPoolExecutor(1, task -> thread(task, "punctual-jdbc-timer"));
    timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static ThreadPoolExecutor pool(int size, String name) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> thread(task, name + count.incrementAndGet()));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static Thread thread(Runnable task, String name) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /**
   * Returns an executor that runs tasks one after another, in the order of their submission, on the
   * threads for calls. Tasks that wait for locks of open transactions use at most half of these
   * threads, so that calls of other queues continue: a task that throws a {@link LockedException}
   * is run again when it is its turn to wait.
   */
  Executor serial() {
    return new LimitedExecutor(threads, 1, locked);
  }

  /** Runs a short task after a delay, unless the store is closed before. */
  void after(long nanos, Runnable task) {
    try {
      var unused = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("The store is closed", e);
    }
  }

  /** Runs a request on an executor that uses these threads, and returns its result as a stage. */
  <T extends @Nullable Object> CompletionStage<T> stage(Executor executor, Supplier<T> request) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    try {
      executor.execute(() -> complete(stage, request));
    } catch (RejectedExecutionException e) {
      stage.completeExceptionally(isClosed());
    } catch (Error e) {
      stage.completeExceptionally(
          new Partition.NotSentException("There is no thread for a call: " + e.getMessage(), e));
    }
    return stage;
  }

  private <T extends @Nullable Object> void complete(
      CompletableFuture<T> stage, Supplier<T> request) {
    if (threads.isShutdown()) {
      stage.completeExceptionally(isClosed());
      return;
    }
    T result;
    try {
      result = request.get();
    } catch (LockedException e) {
      throw e;
    } catch (Throwable e) {
      stage.completeExceptionally(e);
      return;
    }
    stage.complete(result);
  }

  /** Runs a look-up on the threads for look-ups. */
  public <T> CompletionStage<T> lookUp(Supplier<T> request) {
    return stage(lookUps, request);
  }

  /** Runs a request that reads no messages. */
  public <T> CompletionStage<T> control(Supplier<T> request) {
    return stage(controls, request);
  }

  /** Runs the steps of a change that reads no messages, with pauses for other requests. */
  <T> CompletionStage<T> controlInSteps(Supplier<@Nullable T> step, long pauseMillis) {
    return inSteps(controls, step, pauseMillis);
  }

  /**
   * Runs the steps of a long request on the threads for look-ups. Other look-ups can run between
   * the steps.
   *
   * @param step executes a step; returns null if more steps remain, and the result of the request
   *     after the last step
   * @param pauseMillis the time between two steps in milliseconds, 0 or more
   */
  <T> CompletionStage<T> inSteps(Supplier<@Nullable T> step, long pauseMillis) {
    return inSteps(lookUps, step, pauseMillis);
  }

  private <T> CompletionStage<T> inSteps(
      Executor executor, Supplier<@Nullable T> step, long pauseMillis) {
    CompletableFuture<T> result = new CompletableFuture<>();
    nextStep(executor, step, pauseMillis, result);
    return result;
  }

  /** Runs a step, and the next step after a pause. */
  private <T> void nextStep(
      Executor executor,
      Supplier<@Nullable T> step,
      long pauseMillis,
      CompletableFuture<T> result) {
    var unused =
        this.<@Nullable T>stage(executor, step)
            .whenComplete(
                (done, failure) -> {
                  Runnable next = () -> nextStep(executor, step, pauseMillis, result);
                  if (failure != null) {
                    result.completeExceptionally(failure);
                  } else if (done != null) {
                    result.complete(done);
                  } else if (pauseMillis == 0) {
                    next.run();
                  } else {
                    pause(pauseMillis, result, next);
                  }
                });
  }

  /** Runs the next step after a pause, or fails the request if the store is closed before. */
  private void pause(long millis, CompletableFuture<?> result, Runnable next) {
    Object pause = new Object();
    pausing.put(pause, result);
    after(
        TimeUnit.MILLISECONDS.toNanos(millis),
        () -> {
          if (pausing.remove(pause) != null) {
            next.run();
          }
        });
    if (threads.isShutdown()) {
      failPausing();
    }
  }

  private void failPausing() {
    pausing.values().forEach(each -> each.completeExceptionally(isClosed()));
  }

  /**
   * Checks that the store is open.
   *
   * @throws Partition.NotSentException if the store was closed
   */
  void requireOpen() {
    if (threads.isShutdown()) {
      throw isClosed();
    }
  }

  private static Partition.NotSentException isClosed() {
    return new Partition.NotSentException("The SQL store has been closed", null);
  }

  /** Refuses new requests, and waits up to five seconds for the running requests. */
  public void close() {
    timer.shutdown();
    threads.shutdown();
    lookUps.shutdown();
    controls.shutdown();
    failPausing();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
    try {
      for (ThreadPoolExecutor pool : List.of(threads, lookUps, controls)) {
        boolean unused = pool.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
