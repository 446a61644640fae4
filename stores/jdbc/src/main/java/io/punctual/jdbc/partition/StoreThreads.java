package io.punctual.jdbc.partition;

import io.punctual.spi.Partition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The threads that wait for the database in place of the callers. Thread-safe. */
public final class StoreThreads implements Executor {
  private static final long IDLE_SECONDS = 10;
  private static final long CLOSE_SECONDS = 5;

  private final ThreadPoolExecutor threads;
  private final AtomicInteger count = new AtomicInteger();

  /** Creates the threads. Each thread uses at most one connection. */
  public StoreThreads(int threads) {
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            this::thread);
    this.threads.allowCoreThreadTimeOut(true);
  }

  private Thread thread(Runnable task) {
    Thread thread = new Thread(null, task, "punctual-jdbc-" + count.incrementAndGet(), 0, false);
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /** Runs a request on an executor over these threads, and returns its result as a stage. */
  <T extends @Nullable Object> CompletionStage<T> stage(Executor executor, Supplier<T> request) {
    CompletableFuture<T> stage = new CompletableFuture<>();
    try {
      executor.execute(() -> complete(stage, request));
    } catch (RejectedExecutionException e) {
      stage.completeExceptionally(isClosed());
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
    } catch (Throwable e) {
      stage.completeExceptionally(e);
      return;
    }
    stage.complete(result);
  }

  /** Runs a request of the store. */
  public <T extends @Nullable Object> CompletionStage<T> stage(Supplier<T> request) {
    return stage(this, request);
  }

  private static Partition.NotSentException isClosed() {
    return new Partition.NotSentException("The SQL store has been closed", null);
  }

  /** Refuses new requests, and waits a while for the running ones. */
  public void close() {
    threads.shutdown();
    try {
      boolean unused = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
