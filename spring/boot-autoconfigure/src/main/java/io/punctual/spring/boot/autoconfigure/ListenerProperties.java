package io.punctual.spring.boot.autoconfigure;

import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadLetterRetention;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The options of all listeners, or of the listeners of one queue.
 *
 * @param autoStartup Whether listeners start with the application.
 * @param concurrency Maximum number of calls of a listener at once.
 * @param prefetch Number of messages that wait in the process for a free call of a listener.
 * @param batchSize Largest number of messages of a batch.
 * @param lease How long a claimed message is leased.
 * @param handlerTimeout How long a call of a listener may take.
 * @param interruptOnLeaseLost Whether a call of a listener is interrupted when the lease of its
 *     message is lost.
 * @param shutdownGrace How long a stopping listener waits for running calls.
 * @param deadLetterMaxAge How long the queue of a listener keeps a dead letter; by default forever.
 * @param deadLetterMaxCount Largest number of dead letters of the queue of a listener; by default
 *     any number.
 * @param retry Retries after a failure.
 */
public record ListenerProperties(
    @Nullable Boolean autoStartup,
    @Nullable Integer concurrency,
    @Nullable Integer prefetch,
    @Nullable Integer batchSize,
    @Nullable Duration lease,
    @Nullable Duration handlerTimeout,
    @Nullable Boolean interruptOnLeaseLost,
    @Nullable Duration shutdownGrace,
    @Nullable Duration deadLetterMaxAge,
    @Nullable Long deadLetterMaxCount,
    @DefaultValue Retry retry) {

  /** The kinds of retries. */
  public enum RetryType {
    /** Random delays below a bound that doubles with each failure. */
    EXPONENTIAL,
    /** The same delay after each failure. */
    FIXED,
    /** A list with a delay for each failure. */
    DELAYS,
    /** No retry. */
    NEVER
  }

  /**
   * Retries after a failure.
   *
   * @param type Kind of the delays.
   * @param first First bound of exponential delays, or the fixed delay.
   * @param max Largest bound of exponential delays.
   * @param delays Delays after the first failure, after the second failure, and so on.
   * @param maxAttempts Limit of deliveries of a message, including the first.
   */
  public record Retry(
      @Nullable RetryType type,
      @Nullable Duration first,
      @Nullable Duration max,
      @DefaultValue List<Duration> delays,
      @Nullable Integer maxAttempts) {

    /**
     * Returns these retries; options that are not set have the values of the defaults. If no kind
     * is set, the other options decide it: {@code delays} imply {@link RetryType#DELAYS}, and
     * {@code first} or {@code max} imply {@link RetryType#EXPONENTIAL}, unless only {@code first}
     * is set and the defaults are {@link RetryType#FIXED}. Without such options, the kind of the
     * defaults applies.
     */
    Retry over(Retry defaults) {
      return new Retry(
          kindOver(defaults),
          first == null ? defaults.first : first,
          max == null ? defaults.max : max,
          delays.isEmpty() ? defaults.delays : delays,
          maxAttempts == null ? defaults.maxAttempts : maxAttempts);
    }

    private @Nullable RetryType kindOver(Retry defaults) {
      boolean isFixed = defaults.type == RetryType.FIXED && type == null && max == null;
      RetryType kind = kind();
      return kind == null || (isFixed && kind == RetryType.EXPONENTIAL) ? defaults.kind() : kind;
    }

    /**
     * Checks that the kind of these retries uses all options that are set.
     *
     * @param prefix the common part of the names of these properties
     * @throws IllegalArgumentException if an option has no effect; the message names it
     */
    void check(String prefix) {
      RetryType kind = kind();
      List<String> unused = new ArrayList<>();
      if (first != null && (kind == RetryType.DELAYS || kind == RetryType.NEVER)) {
        unused.add("first");
      }
      if (max != null && kind != RetryType.EXPONENTIAL) {
        unused.add("max");
      }
      if (!delays.isEmpty() && kind != RetryType.DELAYS) {
        unused.add("delays");
      }
      if (maxAttempts != null && kind == RetryType.NEVER) {
        unused.add("max-attempts");
      }
      if (kind != null && !unused.isEmpty()) {
        throw new IllegalArgumentException(
            "The properties "
                + unused
                + " of "
                + prefix
                + ".retry have no effect with retries of the type "
                + kind.name().toLowerCase(Locale.ROOT)
                + "; remove them, or change "
                + prefix
                + ".retry.type");
      }
    }

    RetryPolicy policy() {
      RetryPolicy policy = withoutLimit();
      return maxAttempts == null || type == RetryType.NEVER
          ? policy
          : policy.maxAttempts(maxAttempts);
    }

    private RetryPolicy withoutLimit() {
      RetryType kind = kind();
      if (kind == null) {
        return RetryPolicy.DEFAULT;
      }
      Duration start = first == null ? Duration.ofSeconds(1) : first;
      return switch (kind) {
        case EXPONENTIAL -> RetryPolicy.exponential(start, bound(start));
        case FIXED -> RetryPolicy.fixed(start);
        case DELAYS -> RetryPolicy.delays(delays);
        case NEVER -> RetryPolicy.never();
      };
    }

    private @Nullable RetryType kind() {
      if (type != null) {
        return type;
      }
      if (!delays.isEmpty()) {
        return RetryType.DELAYS;
      }
      return first == null && max == null ? null : RetryType.EXPONENTIAL;
    }

    private Duration bound(Duration start) {
      Duration usual = Duration.ofMinutes(5);
      return max != null ? max : start.compareTo(usual) > 0 ? start : usual;
    }
  }

  /**
   * Returns these options; options that are not set have the values of the defaults.
   *
   * @param retries the retries of the result, which replace the retries of the defaults
   */
  WorkerOptions apply(WorkerOptions defaults, Retry retries) {
    WorkerOptions.Builder options = defaults.toBuilder();
    set(concurrency, options::concurrency);
    set(prefetch, options::prefetch);
    set(batchSize, options::batchSize);
    set(lease, options::lease);
    set(handlerTimeout, options::handlerTimeout);
    set(interruptOnLeaseLost, options::interruptOnLeaseLost);
    set(shutdownGrace, options::shutdownGrace);
    options.deadLetterRetention(retention(defaults.deadLetterRetention()));
    return options.retryPolicy(retries.policy()).build();
  }

  private DeadLetterRetention retention(DeadLetterRetention defaults) {
    DeadLetterRetention retention =
        deadLetterMaxAge == null ? defaults : defaults.withMaxAge(deadLetterMaxAge);
    return deadLetterMaxCount == null ? retention : retention.withMaxCount(deadLetterMaxCount);
  }

  private static <V> void set(@Nullable V value, Function<V, ?> setter) {
    if (value != null) {
      Object unused = setter.apply(value);
    }
  }
}
