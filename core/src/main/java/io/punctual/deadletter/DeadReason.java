package io.punctual.deadletter;

import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Settlement;
import io.punctual.StoredMessage;

/**
 * The reason why a message became a dead letter. {@link StoredMessage#reason()} has the details.
 */
public enum DeadReason {
  /** The last attempt that the retry policy allows failed. */
  FAILED,
  /** The instant {@link Message#notAfter} had passed before a handler received the message. */
  EXPIRED,
  /** The codec could not decode the payload, and the retry policy allowed no further attempt. */
  UNDECODABLE,
  /**
   * The message had more attempts than the retry policy allows, and the lease of its last attempt
   * ended without a settlement. Perhaps the message crashes the processes of its workers.
   */
  WORKERS_DIED,
  /** A consumer buried the message with {@link Delivery#bury} or {@link Settlement.Bury}. */
  BY_CALLER,
  /** The store's entry is damaged, or a different program wrote it. */
  UNREADABLE
}
