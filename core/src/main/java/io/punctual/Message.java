package io.punctual;

import io.punctual.deadletter.DeadReason;
import io.punctual.internal.message.Checks;
import io.punctual.spi.DueTime;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message to schedule: a payload, a due time, and optionally an id, headers, an expiry, a
 * recurrence, and a time for which its id is remembered. Immutable: a method that sets a part
 * returns a changed copy.
 *
 * <pre>{@code
 * Message.of(order).id("order-42").dueIn(Duration.ofMinutes(30)).header("tenant", "a")
 * }</pre>
 *
 * <p>Without a due time, a message is due at once, or at the first time of its recurrence. Limits
 * are checked when it is scheduled: see {@link Limits}.
 *
 * @param <T> the payload's type
 */
public final class Message<T> {
  private final T payload;
  private final @Nullable String id;
  private final @Nullable Due due;
  private final Map<String, String> headers;
  private final @Nullable Instant notAfter;
  private final @Nullable Recurrence recurrence;
  private final @Nullable Duration memory;

  private Message(
      T payload,
      @Nullable String id,
      @Nullable Due due,
      Map<String, String> headers,
      @Nullable Instant notAfter,
      @Nullable Recurrence recurrence,
      @Nullable Duration memory) {
    this.payload = payload;
    this.id = id;
    this.due = due;
    this.headers = headers;
    this.notAfter = notAfter;
    this.recurrence = recurrence;
    this.memory = memory;
  }

  /** Returns a message with this payload that is due now; the client generates its id. */
  public static <T> Message<T> of(T payload) {
    return new Message<>(
        Objects.requireNonNull(payload, "payload"), null, null, Map.of(), null, null, null);
  }

  /**
   * Checks a message as a queue does when the message is scheduled, for programs that check their
   * input before they schedule anything. Does not check the recurrence: a process may lack its
   * provider.
   *
   * @throws IllegalArgumentException if a queue of a client with the default {@link Limits} would
   *     refuse the message; the text names the limit or the fault
   */
  public static void check(Message<byte[]> message) {
    DueTime unused = DueTime.of(message.due());
    message
        .notAfter()
        .ifPresent(
            instant -> {
              long unusedMillis = DueTime.instantMillis(instant);
            });
    message.id().ifPresent(Checks::id);
    Checks.payload(message.payload());
    Checks.headers(message.headers());
  }

  /** Returns a copy with this id, by which the message can be found, cancelled and rescheduled. */
  public Message<T> id(String id) {
    Objects.requireNonNull(id, "id");
    return new Message<>(payload, id, due, headers, notAfter, recurrence, memory);
  }

  /** Returns a copy that is due after this delay; a negative delay means now. */
  public Message<T> dueIn(Duration delay) {
    return due(Due.after(delay));
  }

  /** Returns a copy that is due at this instant of the store's clock; a past instant means now. */
  public Message<T> dueAt(Instant instant) {
    return due(Due.at(instant));
  }

  /** Returns a copy with this due time. */
  public Message<T> due(Due due) {
    Objects.requireNonNull(due, "due");
    return new Message<>(payload, id, due, headers, notAfter, recurrence, memory);
  }

  /** Returns a copy with a further header; a header of the same name is replaced. */
  public Message<T> header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return new Message<>(payload, id, due, Map.copyOf(more), notAfter, recurrence, memory);
  }

  /** Returns a copy with exactly these headers. */
  public Message<T> headers(Map<String, String> headers) {
    return new Message<>(payload, id, due, Map.copyOf(headers), notAfter, recurrence, memory);
  }

  /**
   * Returns a copy that expires after this instant of the store's clock: a consumer that claims the
   * message later does not receive it, and the client buries it as {@link DeadReason#EXPIRED}.
   * Until a claim, an expired message stays in the queue. The instant is rounded down to
   * milliseconds. A recurring message has no occurrence after this instant.
   */
  public Message<T> notAfter(Instant instant) {
    Objects.requireNonNull(instant, "instant");
    return new Message<>(payload, id, due, headers, instant, recurrence, memory);
  }

  /**
   * Returns a recurring copy: when its handler returns, or a consumer acks it, the store schedules
   * the next occurrence under the same id in the same step. {@link Delivery#endRecurrence} or a
   * cancel ends the recurrence.
   *
   * <p>The due time is the first occurrence. Without a due time, the first occurrence follows from
   * {@link Recurrence#first}, by this process's clock: an interval begins at once, and a cron
   * expression at its next time.
   */
  public Message<T> recurring(Recurrence recurrence) {
    Objects.requireNonNull(recurrence, "recurrence");
    return new Message<>(payload, id, due, headers, notAfter, recurrence, memory);
  }

  /**
   * Returns a copy whose id the store remembers for this time after the ack that finishes the
   * message. During this time, the id has the state {@link State#FINISHED}, and a schedule of the
   * id stores nothing: the outcome is {@link ScheduleOutcome#KEPT}, or {@link
   * ScheduleOutcome#REJECTED} with {@link IfPresent#REJECT}. So a producer may schedule the same id
   * repeatedly during this time, and the message runs once. Only a schedule with {@link
   * IfPresent#REPLACE} stores a new message with the id. {@link TimedQueue#purge} of {@code
   * FINISHED} forgets the ids at once.
   *
   * <p>A message that is cancelled, buried or purged is not remembered. A recurring message is
   * finished when its recurrence ends.
   *
   * @param time a millisecond to less than {@link Limits#DAYS} days, rounded up to milliseconds
   * @throws IllegalArgumentException if the time is out of this range
   */
  public Message<T> rememberFor(Duration time) {
    Duration checked = Checks.timeout(time, "The time for which an id is remembered");
    return new Message<>(payload, id, due, headers, notAfter, recurrence, checked);
  }

  /** Returns the payload. */
  public T payload() {
    return payload;
  }

  /** Returns the id, or empty if the client generates it. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }

  /** Returns when the message is due; now by default. */
  public Due due() {
    return due == null ? Due.now() : due;
  }

  /** Returns whether a due time was set. */
  public boolean hasDue() {
    return due != null;
  }

  /** Returns the recurrence, or empty if the message is not recurring. */
  public Optional<Recurrence> recurrence() {
    return Optional.ofNullable(recurrence);
  }

  /**
   * Returns for how long the store remembers the id of the finished message; empty if the store
   * does not remember it.
   */
  public Optional<Duration> rememberedFor() {
    return Optional.ofNullable(memory);
  }

  /** Returns the headers; unmodifiable, in no particular order. */
  public Map<String, String> headers() {
    return headers;
  }

  /**
   * Returns the instant after which no handler receives the message; empty if the message does not
   * expire.
   */
  public Optional<Instant> notAfter() {
    return Optional.ofNullable(notAfter);
  }

  @Override
  public String toString() {
    return "Message[id=" + (id == null ? "generated" : id) + ", due=" + due() + "]";
  }
}
