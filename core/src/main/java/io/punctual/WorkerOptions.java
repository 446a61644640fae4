package io.punctual;

import io.punctual.deadletter.DeadLetterRetention;
import io.punctual.deadletter.DeadLetters;
import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The options of a worker. Immutable; see {@link #builder()} and {@link #DEFAULT}. */
public final class WorkerOptions {
  /** The default options; the methods of {@link Builder} state each default. */
  public static final WorkerOptions DEFAULT = builder().build();

  private static final int DEFAULT_CONCURRENCY = 16;

  private final int concurrency;
  private final int prefetch;
  private final int batchSize;
  private final Duration batchLinger;
  private final Duration lease;
  private final boolean renew;
  private final boolean interruptOnLeaseLost;
  private final @Nullable Duration handlerTimeout;
  private final RetryPolicy retryPolicy;
  private final @Nullable Executor executor;
  private final Threads threads;
  private final @Nullable WorkerPool pool;
  private final @Nullable String name;
  private final Duration shutdownGrace;
  private final DeadLetterRetention deadLetterRetention;

  /** The largest concurrency of a worker or a pool. */
  public static final int MAX_CONCURRENCY = 100_000;

  /** The largest prefetch of a worker. */
  public static final int MAX_PREFETCH = 10_000;

  /** The kinds of threads that handlers run on. */
  public enum Threads {
    /** Virtual threads where the JVM has them (Java 21 and up), platform threads elsewhere. */
    AUTO,
    /** Virtual threads; a worker fails to start if the JVM has no virtual threads. */
    VIRTUAL,
    /**
     * A pool of platform threads. Before Java 24, a handler on a virtual thread that blocks in
     * {@code synchronized} code pins its carrier thread, so a few of these handlers can block all
     * handlers. Platform threads do not have this limit.
     */
    PLATFORM
  }

  private WorkerOptions(Builder builder) {
    concurrency = builder.concurrency;
    prefetch = builder.prefetch;
    batchSize = builder.batchSize;
    batchLinger = builder.batchLinger;
    lease = builder.lease;
    renew = builder.renew;
    interruptOnLeaseLost = builder.interruptOnLeaseLost;
    handlerTimeout = builder.handlerTimeout;
    retryPolicy = builder.retryPolicy;
    executor = builder.executor;
    threads = builder.threads;
    pool = builder.pool;
    name = builder.name;
    shutdownGrace = builder.shutdownGrace;
    deadLetterRetention = builder.deadLetterRetention;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns these options with a pool in place of the concurrency, the executor and the threads;
   * see {@link Builder#pool}.
   */
  public WorkerOptions withPool(WorkerPool shared) {
    Builder builder = toBuilder().concurrency(DEFAULT_CONCURRENCY).threads(Threads.AUTO);
    builder.executor = null;
    return builder.pool(shared).build();
  }

  /** Returns a builder with these options. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /** Returns how many calls of the handler may run at once. */
  public int concurrency() {
    return concurrency;
  }

  /** Returns how many messages the worker claims beyond its free handlers. */
  public int prefetch() {
    return prefetch;
  }

  /** Returns the largest number of messages in a call of a batch handler. */
  public int batchSize() {
    return batchSize;
  }

  /** Returns how long a batch that is not full waits for more messages. */
  public Duration batchLinger() {
    return batchLinger;
  }

  /** Returns how long a claimed message is leased. */
  public Duration lease() {
    return lease;
  }

  /** Returns whether leases are extended while the handler runs. */
  public boolean renew() {
    return renew;
  }

  /** Returns whether a handler is interrupted when its lease is lost. */
  public boolean interruptOnLeaseLost() {
    return interruptOnLeaseLost;
  }

  /** Returns how long a handler may run, or empty for no limit. */
  public Optional<Duration> handlerTimeout() {
    return Optional.ofNullable(handlerTimeout);
  }

  /** Returns the retry policy. */
  public RetryPolicy retryPolicy() {
    return retryPolicy;
  }

  /** Returns the executor of handlers, or empty for the worker's own threads. */
  public Optional<Executor> executor() {
    return Optional.ofNullable(executor);
  }

  /** Returns the kind of the worker's own threads, if it has neither an executor nor a pool. */
  public Threads threads() {
    return threads;
  }

  /**
   * Returns the pool whose permits and threads the worker shares, or empty if the worker has its
   * own permits and threads.
   */
  public Optional<WorkerPool> pool() {
    return Optional.ofNullable(pool);
  }

  /** Returns the worker's name, or empty for the name of its queue. */
  public Optional<String> name() {
    return Optional.ofNullable(name);
  }

  /** Returns how long a closing worker waits for running handlers before it interrupts them. */
  public Duration shutdownGrace() {
    return shutdownGrace;
  }

  /** Returns which dead letters of its queue the worker keeps. */
  public DeadLetterRetention deadLetterRetention() {
    return deadLetterRetention;
  }

  /** Builds {@link WorkerOptions}. For use by one thread. */
  public static final class Builder {
    private int concurrency = DEFAULT_CONCURRENCY;
    private int prefetch;
    private int batchSize = 100;
    private Duration batchLinger = Duration.ZERO;
    private Duration lease = Duration.ofSeconds(30);
    private boolean renew = true;
    private boolean interruptOnLeaseLost;
    private @Nullable Duration handlerTimeout;
    private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
    private @Nullable Executor executor;
    private Threads threads = Threads.AUTO;
    private @Nullable WorkerPool pool;
    private @Nullable String name;
    private Duration shutdownGrace = Duration.ofSeconds(20);
    private DeadLetterRetention deadLetterRetention = DeadLetterRetention.KEEP_ALL;

    private Builder() {}

    private Builder(WorkerOptions options) {
      concurrency = options.concurrency;
      prefetch = options.prefetch;
      batchSize = options.batchSize;
      batchLinger = options.batchLinger;
      lease = options.lease;
      renew = options.renew;
      interruptOnLeaseLost = options.interruptOnLeaseLost;
      handlerTimeout = options.handlerTimeout;
      retryPolicy = options.retryPolicy;
      executor = options.executor;
      threads = options.threads;
      pool = options.pool;
      name = options.name;
      shutdownGrace = options.shutdownGrace;
      deadLetterRetention = options.deadLetterRetention;
    }

    /** Sets how many calls of the handler may run at once, 1 to 100,000; 16 by default. */
    public Builder concurrency(int concurrency) {
      Checks.range(concurrency, 1, MAX_CONCURRENCY, "concurrency");
      this.concurrency = concurrency;
      return this;
    }

    /**
     * Sets how many messages the worker claims beyond its free handlers, 0 to 10,000; 0 by default.
     * The messages wait in the order of their claims for a free handler. Claims are then larger and
     * fewer, and a handler that ends need not wait for a claim. Use a prefetch with short handlers
     * and slow stores, such as a database.
     *
     * <p>While a message waits, its lease is renewed, also without {@link #renew}. If the store
     * confirms the renewals, more than half of the lease is left when the handler starts. No other
     * worker receives the message, even if that worker has free handlers. A {@linkplain
     * TimedQueue#pause pause} of the queue does not stop a waiting message. A cancel of a waiting
     * message has the outcome {@link CancelOutcome#RUNNING}, and a handler may still receive the
     * message. When the worker is paused or closed, the waiting messages return to the queue, and
     * the attempt does not count. No message starts after the end of its lease. If the process is
     * killed, the attempt counts for each waiting message.
     *
     * <p>A worker claims nothing in advance while its waiting messages have 16 MiB or more. With a
     * {@link #pool}, each worker has its own waiting messages.
     */
    public Builder prefetch(int prefetch) {
      Checks.range(prefetch, 0, MAX_PREFETCH, "prefetch");
      this.prefetch = prefetch;
      return this;
    }

    /**
     * Sets the largest number of messages of a batch handler's call, 1 to 1000; 100 by default. A
     * batch of any size uses one permit of the concurrency. Only for batch handlers.
     */
    public Builder batchSize(int batchSize) {
      Checks.range(batchSize, 1, 1000, "batchSize");
      this.batchSize = batchSize;
      return this;
    }

    /**
     * Sets how long a batch that is not full waits for messages that become due later; zero by
     * default, and at most half of the {@link #lease}, which is not renewed during the wait. A full
     * batch starts at once, and so does a batch with a message whose lease would expire, or whose
     * {@link Message#notAfter} would pass, during the wait. A waiting batch uses a permit. When the
     * worker is paused or closed, the waiting messages return to the queue, and the attempt does
     * not count. Only for batch handlers.
     */
    public Builder batchLinger(Duration batchLinger) {
      if (batchLinger.isNegative()) {
        throw new IllegalArgumentException(
            "batchLinger must not be negative, but was " + batchLinger);
      }
      this.batchLinger = batchLinger;
      return this;
    }

    /**
     * Sets how long a claimed message is leased, from 10 milliseconds to 30 days; 30 seconds by
     * default. After a crash of the worker, its messages are delivered again when their leases
     * expire.
     */
    public Builder lease(Duration lease) {
      if (lease.compareTo(Duration.ofMillis(10)) < 0 || lease.compareTo(Duration.ofDays(30)) > 0) {
        throw new IllegalArgumentException(
            "lease must be between 10 milliseconds and 30 days, but was " + lease);
      }
      this.lease = lease;
      return this;
    }

    /**
     * Sets whether the worker renews leases while the handler runs, each time that a third of the
     * lease has passed; true by default.
     */
    public Builder renew(boolean renew) {
      this.renew = renew;
      return this;
    }

    /**
     * Sets whether a handler is interrupted, or its stage cancelled, when its lease is lost; false
     * by default.
     */
    public Builder interruptOnLeaseLost(boolean interruptOnLeaseLost) {
      this.interruptOnLeaseLost = interruptOnLeaseLost;
      return this;
    }

    /**
     * Sets how long a handler may run, at least a millisecond; no limit by default. After this
     * time, the worker interrupts the handler, or cancels its stage, and the attempt counts as
     * failed. A handler that ignores the interrupt keeps its permit until it returns. After twice
     * this time, the worker logs a warning and no longer renews the lease, so that a different
     * worker receives the message.
     */
    public Builder handlerTimeout(Duration handlerTimeout) {
      this.handlerTimeout = Checks.timeout(handlerTimeout, "handlerTimeout");
      return this;
    }

    /** Sets the retry policy; {@link RetryPolicy#DEFAULT} by default. */
    public Builder retryPolicy(RetryPolicy retryPolicy) {
      this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
      return this;
    }

    /**
     * Sets the executor of handlers. It must be able to run {@code concurrency} tasks at once, and
     * the worker does not close it. An executor that runs tasks on the calling thread blocks the
     * timer and the store, so use such an executor in tests only. If a task has not started when
     * the lease of its message expires, the worker later releases the message and frees the permit.
     * By default each worker has its own {@link #threads}.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /** Sets the kind of the worker's own threads; {@link Threads#AUTO} by default. */
    public Builder threads(Threads threads) {
      this.threads = Objects.requireNonNull(threads, "threads");
      return this;
    }

    /**
     * Sets the pool whose permits and threads the worker shares with other workers of the same
     * {@link Punctual}, in place of {@link #concurrency}, {@link #executor} and {@link #threads}.
     * By default each worker has permits and threads of its own.
     */
    public Builder pool(WorkerPool pool) {
      this.pool = Objects.requireNonNull(pool, "pool");
      return this;
    }

    /** Sets the worker's name, for threads, events and logs; the queue's name by default. */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets how long a closing worker waits for running handlers before it interrupts them, shorter
     * than {@link Limits#DAYS}; 20 seconds by default. Zero or less interrupts them at once.
     */
    public Builder shutdownGrace(Duration shutdownGrace) {
      DueTime.delayMillis(shutdownGrace);
      this.shutdownGrace = shutdownGrace;
      return this;
    }

    /**
     * Sets which dead letters of its queue the worker keeps; all by default. Every minute, the
     * worker deletes the dead letters that it does not keep, as {@link DeadLetters#deleteBeyond}
     * does, and logs their number. If workers of a queue have different retentions, each worker
     * deletes by its own retention.
     */
    public Builder deadLetterRetention(DeadLetterRetention retention) {
      this.deadLetterRetention = Objects.requireNonNull(retention, "retention");
      return this;
    }

    /**
     * Returns the options.
     *
     * @throws IllegalArgumentException if the batch linger is more than half of the lease, or if
     *     there is a pool together with what it replaces
     */
    public WorkerOptions build() {
      boolean hasOwn =
          concurrency != DEFAULT_CONCURRENCY || executor != null || threads != Threads.AUTO;
      if (pool != null && hasOwn) {
        throw new IllegalArgumentException(
            "A worker with a pool has no concurrency, executor or threads of its own; set them by"
                + " Punctual.workerPool, or leave the pool out");
      }
      if (batchLinger.compareTo(lease.dividedBy(2)) > 0) {
        throw new IllegalArgumentException(
            "batchLinger must be at most half of the lease of "
                + lease
                + ", but was "
                + batchLinger
                + "; use a shorter linger or a longer lease");
      }
      return new WorkerOptions(this);
    }
  }
}
