package io.punctual;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A message as the store had it at a look-up.
 *
 * @param <T> the payload's type
 */
public interface StoredMessage<T> {
  /** Returns its id. */
  String id();

  /** Returns its state when it was looked up. */
  State state();

  /**
   * Returns the payload, decoded now.
   *
   * @throws UndecodableException if the codec throws; {@link #payloadBytes()} still works
   */
  T payload();

  /** Returns the payload's bytes in a new array; empty if the entry is unreadable. */
  byte[] payloadBytes();

  /** Returns the headers; unmodifiable. */
  Map<String, String> headers();

  /** Returns when it is or was due, by the store's clock. */
  Instant dueAt();

  /** Returns the instant after which no handler receives the message, or empty. */
  Optional<Instant> notAfter();

  /** Returns the number of deliveries, including the present delivery. */
  int attempts();

  /** Returns the failures of past attempts, the latest last, five at most; unmodifiable. */
  List<Failure> failures();

  /**
   * Returns when its lease ends, by the store's clock, if it is leased and the store knows the end.
   */
  Optional<Instant> leasedUntil();

  /** Returns whether the message is leased and was cancelled, so that it is not delivered again. */
  boolean isCancelled();

  /** Returns when it was buried, if it is dead. */
  Optional<Instant> diedAt();

  /** Returns why it was buried, if it is dead and the reason is known. */
  Optional<DeadReason> deadReason();

  /**
   * Returns the details of {@link #deadReason()}, for example the last exception and its causes, or
   * the text of {@link Delivery#bury}.
   */
  Optional<String> reason();
}
