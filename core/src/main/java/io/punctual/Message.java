package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message to schedule: a payload, a due time, and optionally an id, headers and an expiry.
 * Immutable; every method returns a changed copy.
 *
 * <pre>{@code
 * Message.of(order).id("order-42").dueIn(Duration.ofMinutes(30)).header("tenant", "a")
 * }</pre>
 *
 * <p>Without a due time a message is due at once. Limits are checked when it is scheduled: see
 * {@link Limits}.
 *
 * @param <T> the payload's type
 */
public final class Message<T> {
  private final T payload;
  private final @Nullable String id;
  private final Due due;
  private final Map<String, String> headers;
  private final @Nullable Instant notAfter;

  private Message(
      T payload,
      @Nullable String id,
      Due due,
      Map<String, String> headers,
      @Nullable Instant notAfter) {
    this.payload = payload;
    this.id = id;
    this.due = due;
    this.headers = headers;
    this.notAfter = notAfter;
  }

  /** Returns a message with this payload that is due now; the client generates its id. */
  public static <T> Message<T> of(T payload) {
    return new Message<>(
        Objects.requireNonNull(payload, "payload"), null, Due.now(), Map.of(), null);
  }

  /** Returns a copy with this id, by which it can be found, cancelled and rescheduled. */
  public Message<T> id(String id) {
    return new Message<>(payload, Objects.requireNonNull(id, "id"), due, headers, notAfter);
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
    return new Message<>(payload, id, Objects.requireNonNull(due, "due"), headers, notAfter);
  }

  /** Returns a copy with a further header; a header of the same name is replaced. */
  public Message<T> header(String name, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
    return new Message<>(payload, id, due, Map.copyOf(more), notAfter);
  }

  /** Returns a copy with exactly these headers. */
  public Message<T> headers(Map<String, String> headers) {
    return new Message<>(payload, id, due, Map.copyOf(headers), notAfter);
  }

  /**
   * Returns a copy that expires after this instant of the store's clock: a worker that claims the
   * message later buries it as {@link DeadReason#EXPIRED}. Until a claim, an expired message stays
   * scheduled. The instant is rounded down to milliseconds.
   */
  public Message<T> notAfter(Instant instant) {
    return new Message<>(payload, id, due, headers, Objects.requireNonNull(instant, "instant"));
  }

  /** Returns the payload. */
  public T payload() {
    return payload;
  }

  /** Returns the id, or empty if the client generates it. */
  public Optional<String> id() {
    return Optional.ofNullable(id);
  }

  /** Returns when the message is due. */
  public Due due() {
    return due;
  }

  /** Returns the headers; unmodifiable, in no particular order. */
  public Map<String, String> headers() {
    return headers;
  }

  /** Returns the instant after which no handler receives the message, or empty. */
  public Optional<Instant> notAfter() {
    return Optional.ofNullable(notAfter);
  }

  @Override
  public String toString() {
    return "Message[id=" + (id == null ? "generated" : id) + ", due=" + due + "]";
  }
}
