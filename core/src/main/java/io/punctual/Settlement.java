package io.punctual;

import io.punctual.internal.message.Checks;
import io.punctual.internal.message.DeliveryToken;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.util.Objects;

/**
 * The settlement of a delivery, or the extension of its lease, by any process that knows the
 * message's id and the {@link Delivery#token} of the delivery. {@link TimedQueue#settle} sends
 * settlements.
 *
 * <p>Each constructor throws {@link IllegalArgumentException} if an argument exceeds the {@link
 * Limits}, or the token is not the token of a delivery. Immutable.
 */
public sealed interface Settlement {
  /** Returns the message's id. */
  String id();

  /** Returns the {@link Delivery#token} of the delivery. */
  String token();

  /** Removes the message, because it was processed; like {@link Delivery#ack()}. */
  record Ack(String id, String token) implements Settlement {
    /** Creates an ack. */
    public Ack {
      check(id, token);
    }
  }

  /**
   * Makes the message due again after a delay, and records a failure; like {@link
   * Delivery#retry(Duration, String)}.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   * @param reason the recorded reason, which is cut to 300 characters
   */
  record Retry(String id, String token, Duration delay, String reason) implements Settlement {
    /** Creates a retry. */
    public Retry {
      check(id, token);
      long unused = DueTime.delayMillis(delay);
      Objects.requireNonNull(reason, "reason");
    }
  }

  /**
   * Makes the message due again after a delay, without counting the attempt; like {@link
   * Delivery#defer(Duration)}.
   *
   * @param delay rounded up to milliseconds and shorter than {@link Limits#DAYS}; a negative delay
   *     means now
   */
  record Defer(String id, String token, Duration delay) implements Settlement {
    /** Creates a deferral. */
    public Defer {
      check(id, token);
      long unused = DueTime.delayMillis(delay);
    }
  }

  /**
   * Makes the message a dead letter; like {@link Delivery#bury(String)}.
   *
   * @param reason the recorded reason, which is cut to 300 characters
   */
  record Bury(String id, String token, String reason) implements Settlement {
    /** Creates a burial. */
    public Bury {
      check(id, token);
      Objects.requireNonNull(reason, "reason");
    }
  }

  /** Returns the message to the queue at its old due time; like {@link Delivery#release()}. */
  record Release(String id, String token) implements Settlement {
    /** Creates a release. */
    public Release {
      check(id, token);
    }
  }

  /**
   * Extends or shortens the lease; like {@link Delivery#extend(Duration)}.
   *
   * @param lease the length of the lease from the time at which the store receives the call, 1
   *     millisecond to {@link Limits#DAYS}
   */
  record Extend(String id, String token, Duration lease) implements Settlement {
    /** Creates an extension. */
    public Extend {
      check(id, token);
      long unused = Checks.lease(lease);
    }
  }

  private static void check(String id, String token) {
    Checks.id(Objects.requireNonNull(id, "id"));
    DeliveryToken unused = DeliveryToken.parse(Objects.requireNonNull(token, "token"));
  }
}
