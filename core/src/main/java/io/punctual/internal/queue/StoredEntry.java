package io.punctual.internal.queue;

import io.punctual.Codec;
import io.punctual.Failure;
import io.punctual.LeaseHolder;
import io.punctual.Recurrence;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import io.punctual.deadletter.DeadReason;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The result of a look-up, whose payload is decoded on access. Immutable. */
final class StoredEntry<T> implements StoredMessage<T> {
  private static final Content NONE = Content.of(new byte[0]);

  private final Entry entry;
  private final @Nullable Content content;

  /** Whether the store has the content, but could not read it. */
  private final boolean damaged;

  private final @Nullable LeaseHolder holder;
  private final Codec<T> codec;
  private final String queue;
  private final FailureLog log;

  /**
   * Creates the result of a look-up.
   *
   * @param withContent whether the look-up asked for the content
   * @param holder the holder of the lease, or null if the message is not leased or the holder is
   *     not known
   */
  StoredEntry(
      Entry entry,
      Codec<T> codec,
      String queue,
      boolean withContent,
      @Nullable LeaseHolder holder) {
    this.holder = holder;
    this.entry = entry;
    this.content = withContent && entry.content() == null ? NONE : entry.content();
    damaged = withContent && entry.content() == null && entry.state() != State.FINISHED;
    this.codec = codec;
    this.queue = queue;
    this.log = FailureLog.of(entry.history());
  }

  @Override
  public String id() {
    return entry.id();
  }

  @Override
  public State state() {
    return entry.state();
  }

  @Override
  public T payload() {
    if (state() == State.FINISHED) {
      throw new UndecodableException(
          "The message '"
              + id()
              + "' of queue '"
              + queue
              + "' is finished, and the store keeps only its id",
          new IllegalStateException("The state is " + State.FINISHED));
    }
    byte[] bytes = payloadBytes();
    Map<String, String> headers = headers();
    try {
      return codec.decode(bytes, headers);
    } catch (Exception e) {
      throw new UndecodableException(
          "The payload of '"
              + id()
              + "' in queue '"
              + queue
              + "' can't be decoded: "
              + e.getMessage(),
          e);
    }
  }

  private Content content() {
    if (content == null) {
      throw new IllegalStateException(
          "The message '"
              + id()
              + "' of queue '"
              + queue
              + "' was listed without its payload and headers; find it by its id, or list with"
              + " payloads");
    }
    return content;
  }

  @Override
  public byte[] payloadBytes() {
    if (damaged) {
      throw new UndecodableException(
          "The content of the message '"
              + id()
              + "' of queue '"
              + queue
              + "' is damaged: the store could not read it. A worker that claims the message buries"
              + " it; restore the store from a copy, or delete the message",
          new IllegalStateException("The store returned the message without its content"));
    }
    return content().payload().clone();
  }

  @Override
  public Map<String, String> headers() {
    return RecurrenceHeaders.ofUser(content().headers());
  }

  @Override
  public Optional<Recurrence> recurrence() {
    return Optional.ofNullable(RecurrenceHeaders.text(content().headers())).map(Recurrence::parse);
  }

  @Override
  public Instant occurrence() {
    OptionalLong stored = RecurrenceHeaders.occurrence(content().headers());
    Long retried = log.occurrenceMillis();
    return stored.isPresent()
        ? Instant.ofEpochMilli(stored.getAsLong())
        : retried == null ? dueAt() : Instant.ofEpochMilli(retried);
  }

  @Override
  public Instant dueAt() {
    return Instant.ofEpochMilli(entry.dueMillis());
  }

  @Override
  public Optional<Instant> notAfter() {
    return content().notAfter();
  }

  @Override
  public Optional<Instant> createdAt() {
    return content().createdAt();
  }

  @Override
  public Optional<Instant> rememberedUntil() {
    return state() == State.FINISHED ? Optional.of(dueAt()) : Optional.empty();
  }

  @Override
  public int attempts() {
    return entry.attempts();
  }

  @Override
  public List<Failure> failures() {
    return log.last();
  }

  @Override
  public Optional<Instant> leasedUntil() {
    return entry.state() == State.LEASED && entry.leasedUntilMillis() != 0
        ? Optional.of(Instant.ofEpochMilli(entry.leasedUntilMillis()))
        : Optional.empty();
  }

  @Override
  public Optional<LeaseHolder> leaseHolder() {
    return Optional.ofNullable(holder);
  }

  @Override
  public boolean isCancelled() {
    return entry.cancelled();
  }

  @Override
  public Optional<Instant> diedAt() {
    return entry.state() == State.DEAD
        ? Optional.of(Instant.ofEpochMilli(entry.diedAtMillis()))
        : Optional.empty();
  }

  @Override
  public Optional<DeadReason> deadReason() {
    return Optional.ofNullable(log.reason());
  }

  @Override
  public Optional<String> failureOrigin() {
    return Optional.ofNullable(log.origin());
  }

  @Override
  public Optional<String> reason() {
    return Optional.ofNullable(log.detail());
  }

  @Override
  public String toString() {
    return "StoredMessage[" + id() + ", " + state() + ", due " + dueAt() + "]";
  }
}
