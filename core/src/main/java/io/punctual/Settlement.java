package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settlement of a delivery, or the extension of its lease, by any process that has the {@link
 * Receipt} of the delivery. {@link TimedQueue#settle} sends settlements.
 *
 * <p>Each constructor throws {@link IllegalArgumentException} if an argument exceeds the {@link
 * Limits}. Immutable.
 */
public sealed interface Settlement {
  /** Returns the {@link Delivery#receipt} of the delivery. */
  Receipt receipt();

  /** Returns the message's id. */
  default String id() {
    return receipt().id();
  }

  /**
   * Removes the message, because it was processed; like {@link Delivery#ack()}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   */
  record Ack(Receipt receipt) implements Settlement {
    /** Creates an ack. */
    public Ack {
      Objects.requireNonNull(receipt, "receipt");
    }
  }

  /**
   * Makes the message due again after a delay, and records a failure; like {@link
   * Delivery#retry(Duration, String)}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   * @param reason the recorded reason, which is cut to 300 characters
   */
  record Retry(Receipt receipt, Duration delay, String reason) implements Settlement {
    /** Creates a retry. */
    public Retry {
      Objects.requireNonNull(receipt, "receipt");
      long unused = DueTime.delayMillis(delay);
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Reports a failed attempt, as a handler of a worker does by throwing: the policy decides whether
   * the message is retried after a delay or becomes a dead letter with the reason {@link
   * io.punctual.deadletter.DeadReason#FAILED}. A recurring message continues with its next
   * occurrence instead of becoming a dead letter, except with {@link Recurrence#stopOnFailure}. The
   * number of the attempt is that of the store. No {@linkplain TimedQueue#withDeadHandler dead
   * handler} is called.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param failure the exception, or a {@link ReportedException} for the failure of a program in
   *     another language. The delay of a {@link RetryAfterException} replaces the policy's delay
   * @param policy decides between retry and dead letter. It may run on a thread of the client, and
   *     must not block. If it throws, or returns a delay out of range, the message is retried after
   *     a minute
   */
  record Fail(Receipt receipt, Throwable failure, RetryPolicy policy) implements Settlement {
    /**
     * Creates a report of a failed attempt.
     *
     * @throws IllegalArgumentException if the limit of the policy's attempts is out of range
     */
    public Fail {
      Objects.requireNonNull(receipt, "receipt");
      Objects.requireNonNull(failure, "failure");
      Objects.requireNonNull(policy, "policy");
      int unused = Checks.attempts(policy.maxAttempts());
    }

    /** Creates a report of a failed attempt with {@link RetryPolicy#DEFAULT}. */
    public Fail(Receipt receipt, Throwable failure) {
      this(receipt, failure, RetryPolicy.DEFAULT);
    }
  }

  /**
   * Makes the message due again after a delay, without counting the attempt; like {@link
   * Delivery#defer(Duration)}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   */
  record Defer(Receipt receipt, Duration delay) implements Settlement {
    /** Creates a deferral. */
    public Defer {
      Objects.requireNonNull(receipt, "receipt");
      long unused = DueTime.delayMillis(delay);
    }
  }

  /**
   * Ends the processing of the message, and schedules the message once more; like {@link
   * Delivery#repeat(Due)} and {@link Delivery#repeat(Due, Object)}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param due a past due time means now
   * @param payload the new payload, of the type of the queue's payloads; empty to keep the payload
   */
  record Repeat(Receipt receipt, Due due, Optional<?> payload) implements Settlement {
    /** Creates a repeat. */
    public Repeat {
      Objects.requireNonNull(receipt, "receipt");
      DueTime unused = DueTime.of(Objects.requireNonNull(due, "due"));
      Objects.requireNonNull(payload, "payload");
    }

    /** Creates a repeat with the same payload. */
    public Repeat(Receipt receipt, Due due) {
      this(receipt, due, Optional.empty());
    }

    /** Creates a repeat after a delay, with the same payload. */
    public Repeat(Receipt receipt, Duration delay) {
      this(receipt, Due.after(delay));
    }

    /** Returns this repeat with a new payload; the codec may change the headers. */
    public Repeat withPayload(Object other) {
      return new Repeat(receipt, due, Optional.of(other));
    }
  }

  /**
   * Removes the message, even if it is recurring; like {@link Delivery#endRecurrence()}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   */
  record EndRecurrence(Receipt receipt) implements Settlement {
    /** Creates an end of a recurrence. */
    public EndRecurrence {
      Objects.requireNonNull(receipt, "receipt");
    }
  }

  /**
   * Makes the message a dead letter; like {@link Delivery#bury(String)}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param reason the recorded reason, which is cut to 300 characters
   */
  record Bury(Receipt receipt, String reason) implements Settlement {
    /** Creates a burial. */
    public Bury {
      Objects.requireNonNull(receipt, "receipt");
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Returns the message to the queue at its old due time; like {@link Delivery#release()}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   */
  record Release(Receipt receipt) implements Settlement {
    /** Creates a release. */
    public Release {
      Objects.requireNonNull(receipt, "receipt");
    }
  }

  /**
   * Extends or shortens the lease; like {@link Delivery#extend(Duration)}.
   *
   * @param receipt the {@link Delivery#receipt} of the delivery
   * @param lease the length of the lease from the time at which the store receives the call, 1
   *     millisecond to {@link Limits#DAYS}
   */
  record Extend(Receipt receipt, Duration lease) implements Settlement {
    /** Creates an extension. */
    public Extend {
      Objects.requireNonNull(receipt, "receipt");
      long unused = Checks.lease(lease);
    }
  }
}
