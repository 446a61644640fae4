package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;

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
