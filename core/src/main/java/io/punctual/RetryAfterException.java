package io.punctual;

import io.punctual.spi.DueTime;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a handler that knows the time of the next attempt, for example from the header {@code
 * Retry-After} of an HTTP reply. The delay of this exception replaces the delay of the {@link
 * RetryPolicy}; the limit of attempts and the rules of the policy still apply. A {@link
 * java.util.concurrent.CompletionException} or {@link java.util.concurrent.ExecutionException}
 * whose cause is this exception has the same effect.
 */
public class RetryAfterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Duration delay;

  /**
   * Creates an exception with this delay.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   * @param cause the failure, or null if there is none; the rules of the policy receive this
   *     exception, not its cause
   */
  public RetryAfterException(Duration delay, @Nullable Throwable cause) {
    this("Retry after " + delay, delay, cause);
  }

  /**
   * Creates an exception with this delay and message. The recorded failure contains the message.
   */
  public RetryAfterException(String message, Duration delay, @Nullable Throwable cause) {
    super(message, cause);
    long unused = DueTime.delayMillis(delay);
    this.delay = delay;
  }

  /** Returns the time until the next attempt. */
  public Duration delay() {
    return delay;
  }
}
