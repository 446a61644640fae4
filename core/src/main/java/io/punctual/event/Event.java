package io.punctual.event;

import io.punctual.ScheduleOutcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Something that happened in this process. Immutable. */
public sealed interface Event {
  /** Returns the queue that it is about. */
  String queue();

  /** A schedule was confirmed. */
  record MessageScheduled(String queue, String id, ScheduleOutcome outcome) implements Event {}

  /** Messages were claimed, one or more. */
  record MessagesClaimed(String queue, int count) implements Event {}

  /**
   * A message was handed to a handler.
   *
   * @param lateness from the due time to the claim, plus the local time to the handler
   */
  record MessageHandedOver(String queue, String id, int attempt, Duration lateness)
      implements Event {}

  /** An ack was confirmed. */
  record MessageAcked(String queue, String id, int attempt) implements Event {}

  /** A message will be tried again: its handler failed, and the store has confirmed the retry. */
  record MessageRetried(
      String queue, String id, int attempt, Duration delay, @Nullable Throwable failure)
      implements Event {}

  /**
   * A message became a dead letter.
   *
   * @param failure what its last attempt threw, or null if it was buried for another reason
   */
  record MessageBuried(
      String queue, String id, int attempt, String reason, @Nullable Throwable failure)
      implements Event {}

  /** A delivery's lease was lost before it was settled; the message comes back, or has already. */
  record LeaseLost(String queue, String id, int attempt) implements Event {}

  /**
   * The store can't be reached, or refuses; the client goes on trying by itself.
   *
   * @param failure such as {@link io.punctual.StoreUnavailableException} or {@link
   *     io.punctual.StoreRefusedException}
   */
  record StoreTrouble(String queue, Throwable failure) implements Event {}

  /** The store answers again. */
  record StoreRecovered(String queue, Duration silence) implements Event {}
}
