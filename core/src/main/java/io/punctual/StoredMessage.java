package io.punctual;

import io.punctual.deadletter.DeadReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A message in the state in which a look-up found it. A message that was listed by a query
 * {@linkplain MessageQuery#withoutPayloads without payloads} has no payload, headers, recurrence,
 * {@link #occurrence}, {@link #notAfter} and {@link #createdAt}; these methods then throw {@link
 * IllegalStateException}.
 *
 * @param <T> the payload's type
 */
public interface StoredMessage<T> {
  /** Returns the message's id. */
  String id();

  /** Returns the state of the message at the look-up. */
  State state();

  /**
   * Decodes and returns the payload.
   *
   * @throws UndecodableException if the codec throws ({@link #payloadBytes()} still works), if the
   *     store could not read the content, or if the state is {@link State#FINISHED}, because then
   *     the store has only the id
   */
  T payload();

  /**
   * Returns the payload's bytes in a new array; empty if the state is {@link State#FINISHED}.
   *
   * @throws UndecodableException if the store could not read the content
   */
  byte[] payloadBytes();

  /** Returns the headers, unmodifiable; empty if the store could not read the content. */
  Map<String, String> headers();

  /**
   * Returns the due time by the store's clock; it may have passed. For a finished message, returns
   * the time of {@link #rememberedUntil}.
   */
  Instant dueAt();

  /**
   * Returns the recurrence, or empty if the message is not recurring.
   *
   * @throws RecurrenceException if the stored recurrence can't be read
   */
  Optional<Recurrence> recurrence();

  /**
   * Returns the time at which the message was first scheduled, by the store's clock. A retry, a
   * redrive, a new occurrence and a copy of the message keep the time. A schedule that replaces the
   * message, or that reuses the id of a message that has ended, stores a new message with a new
   * time. On Redis, the time can be early by about the duration of a request.
   *
   * @return empty if an earlier version of Punctual stored the message, the entry is unreadable, or
   *     the state is {@link State#FINISHED}
   */
  Optional<Instant> createdAt();

  /** Returns the planned time of the occurrence, like {@link Delivery#occurrence}. */
  Instant occurrence();

  /**
   * Returns the instant after which no handler receives the message; empty if the message does not
   * expire.
   */
  Optional<Instant> notAfter();

  /**
   * Returns the time at which the store forgets the id of a finished message, or empty if the state
   * is not {@link State#FINISHED}.
   */
  Optional<Instant> rememberedUntil();

  /**
   * Returns the number of deliveries, including the current delivery. Deliveries that were released
   * or deferred do not count.
   */
  int attempts();

  /** Returns the failures of past attempts, the latest last, five at most; unmodifiable. */
  List<Failure> failures();

  /**
   * Returns the end of the lease by the store's clock, or empty if the message is not leased or the
   * store does not know the end.
   */
  Optional<Instant> leasedUntil();

  /**
   * Returns the holder of the lease, or empty if the message is not leased, or the store does not
   * know the holder, for example if a different process has the journal open. A look-up that finds
   * a leased message also asks the store for its list of workers.
   */
  Optional<LeaseHolder> leaseHolder();

  /** Returns whether the message is leased and was cancelled, so that it is not delivered again. */
  boolean isCancelled();

  /** Returns the time of the burial, or empty if the message is not dead. */
  Optional<Instant> diedAt();

  /**
   * Returns the reason of the burial, or empty if the message is not dead or the reason is unknown.
   */
  Optional<DeadReason> deadReason();

  /**
   * Returns the class of the innermost exception of the last failure, and the first stack frame of
   * the user's code if there is one, for example {@code com.example.CardException at
   * com.example.Cards.charge(Cards.java:42)}; empty if the last failure had no exception.
   */
  Optional<String> failureOrigin();

  /**
   * Returns the details of {@link #deadReason()}, for example the last exception and its causes, or
   * the text of {@link Delivery#bury}; empty if there is no such reason.
   */
  Optional<String> reason();
}
