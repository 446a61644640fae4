package io.punctual;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message to schedule: a payload, when it is due, and optionally an id, headers and a time after
 * which it is no longer wanted. Immutable; every method returns a changed copy.
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

  /** Returns a message with this payload, due at once, without an id of its own. */
  public static <T> Message<T> of(T payload) {
    return new Message<>(
        Objects.requireNonNull(payload, "payload"), null, Due.now(), Map.of(), null);
  }

  /** Returns a copy with this id, by which it can be found, cancelled and rescheduled. */
  public Message<T> id(String id) {
    return new Message<>(payload, Objects.requireNonNull(id, "id"), due, headers, notAfter);
  }

  /** Returns a copy that is due once this delay has passed; a negative one means at once. */
  public Message<T> dueIn(Duration delay) {
    return due(Due.in(delay));
  }

  /** Returns a copy that is due at this instant of the store's clock; a past one means at once. */
  public Message<T> dueAt(Instant instant) {
    return due(Due.at(instant));
  }

  /** Returns a copy that is due then. */
  public Message<T> due(Due due) {
    return new Message<>(payload, id, Objects.requireNonNull(due, "due"), headers, notAfter);
  }

  /** Returns a copy with one more header; a header of the same name is replaced. */
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
   * Returns a copy that is not handed to a handler after this instant of the store's clock: a
   * worker that claims it later buries it with the reason "expired". Until then it stays scheduled.
   */
  public Message<T> notAfter(Instant instant) {
    return new Message<>(payload, id, due, headers, Objects.requireNonNull(instant, "instant"));
  }

  /** Returns the payload. */
  public T payload() {
    return payload;
  }

  /** Returns the id, or empty if one is to be made. */
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

  /** Returns the instant after which no handler is given the message, or empty. */
  public Optional<Instant> notAfter() {
    return Optional.ofNullable(notAfter);
  }

  @Override
  public String toString() {
    return "Message[id=" + (id == null ? "to be made" : id) + ", due=" + due + "]";
  }
}
