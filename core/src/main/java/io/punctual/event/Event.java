package io.punctual.event;

import io.punctual.DeadReason;
import io.punctual.Due;
import io.punctual.ScheduleOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event of this client. Immutable. */
public sealed interface Event {
  /** Returns the name of the queue. */
  String queue();

  /** A schedule was confirmed. */
  record MessageScheduled(String queue, String id, ScheduleOutcome outcome) implements Event {}

  /**
   * A claim returned messages.
   *
   * @param count the number of messages, at least 1
   */
  record MessagesClaimed(String queue, int count) implements Event {}

  /**
   * A handler received a message.
   *
   * @param lateness from the due time to the claim, plus the local time to the handler
   */
  record MessageHandedOver(String queue, String id, int attempt, Duration lateness)
      implements Event {}

  /** An ack was confirmed. */
  record MessageAcked(String queue, String id, int attempt) implements Event {}

  /**
   * An attempt failed, and the store has confirmed the retry.
   *
   * @param delay the time until the next attempt is due
   * @param failure the exception of the handler or the codec, or null if the consumer called {@link
   *     io.punctual.Delivery#retry}
   */
  record MessageRetried(
      String queue, String id, int attempt, Duration delay, @Nullable Throwable failure)
      implements Event {}

  /**
   * A message became a dead letter.
   *
   * @param detail the details of the reason
   * @param failure the exception of the last attempt, or null if the message was buried without an
   *     exception
   */
  record MessageBuried(
      String queue,
      String id,
      int attempt,
      DeadReason reason,
      String detail,
      @Nullable Throwable failure)
      implements Event {}

  /**
   * A message returned to the queue, and the attempt did not count.
   *
   * @param delay the time until the message is due if the consumer called {@link
   *     io.punctual.Delivery#defer}, or null for the old due time
   */
  record MessageReleased(String queue, String id, int attempt, @Nullable Duration delay)
      implements Event {}

  /** A message was processed, and scheduled once more. */
  record MessageRepeated(String queue, String id, int attempt, Due due) implements Event {}

  /** A delivery lost its lease before it was settled; the message is delivered again. */
  record LeaseLost(String queue, String id, int attempt) implements Event {}

  /**
   * The store has not answered for a second, or refuses calls. The client keeps trying.
   *
   * @param queue a queue of the failing store, or empty if the store could not be opened
   * @param failure for example {@link io.punctual.StoreUnavailableException} or {@link
   *     io.punctual.StoreRefusedException}
   */
  record StoreTrouble(String queue, Throwable failure) implements Event {}

  /**
   * The store answers again in all partitions.
   *
   * @param queue the queue of the last partition to recover, or empty if the store was opened
   * @param silence the time since the first failure of the outage
   */
  record StoreRecovered(String queue, Duration silence) implements Event {}
}
