package io.punctual.rabbitmq.delay;

import io.punctual.RetryPolicy;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;

/**
 * The options of a {@link RabbitWorker}. Immutable; see {@link #builder()} and {@link #DEFAULT}.
 */
public final class RabbitWorkerOptions {
  /** The default options; the methods of {@link Builder} state each default. */
  public static final RabbitWorkerOptions DEFAULT = builder().build();

  /**
   * The largest concurrency of a worker. The concurrency is also the prefetch of the worker's
   * consumer.
   */
  public static final int MAX_CONCURRENCY = 10_000;

  private final int concurrency;
  private final RetryPolicy retryPolicy;
  private final Duration shutdownGrace;

  private RabbitWorkerOptions(Builder builder) {
    concurrency = builder.concurrency;
    retryPolicy = builder.retryPolicy;
    shutdownGrace = builder.shutdownGrace;
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns how many calls of the handler can run at the same time; also the largest number of
   * unacked messages.
   */
  public int concurrency() {
    return concurrency;
  }

  /** Returns the retry policy. */
  public RetryPolicy retryPolicy() {
    return retryPolicy;
  }

  /** Returns how long a closing worker waits for running handlers before it interrupts them. */
  public Duration shutdownGrace() {
    return shutdownGrace;
  }

  /** Builds {@link RabbitWorkerOptions}. For use by one thread. */
  public static final class Builder {
    private int concurrency = 16;
    private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
    private Duration shutdownGrace = Duration.ofSeconds(20);

    private Builder() {}

    /** Sets how many calls of the handler can run at the same time, 1 to 10,000; 16 by default. */
    public Builder concurrency(int concurrency) {
      if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
        throw new IllegalArgumentException(
            "concurrency must be between 1 and " + MAX_CONCURRENCY + ", but was " + concurrency);
      }
      this.concurrency = concurrency;
      return this;
    }

    /**
     * Sets the retry policy; {@link RetryPolicy#DEFAULT} by default. Levels round its delays up to
     * the grain of the queue. If the policy throws, or a delay exceeds the limit of the queue, the
     * worker logs this. It then retries the message after a minute, or after the longest delay of
     * the queue if this is shorter.
     */
    public Builder retryPolicy(RetryPolicy retryPolicy) {
      this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
      return this;
    }

    /**
     * Sets how long a closing worker waits for running handlers before it interrupts them; 20
     * seconds by default.
     */
    public Builder shutdownGrace(Duration shutdownGrace) {
      long unused = DueTime.delayMillis(shutdownGrace);
      this.shutdownGrace = shutdownGrace;
      return this;
    }

    /** Returns the options. */
    public RabbitWorkerOptions build() {
      return new RabbitWorkerOptions(this);
    }
  }
}
