package io.punctual.internal.delivery;

import io.punctual.Recurrence;
import io.punctual.RecurrenceException;
import io.punctual.internal.message.FailureLog;
import io.punctual.internal.message.RecurrenceHeaders;
import io.punctual.internal.message.Recurrences;
import io.punctual.spi.Content;
import io.punctual.spi.Reply;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * An occurrence of a recurring message. Its planned time is the due time, until a retry or a
 * deferral changes the due time: a retry records the planned time in the {@link FailureLog}, and a
 * deferral in a header of the message. Immutable.
 */
public final class Occurrence {
  private final Content content;
  private final long millis;
  private final boolean isRecorded;
  private final @Nullable Recurrence recurrence;
  private final @Nullable RecurrenceException unreadable;

  private Occurrence(
      Content content,
      long millis,
      boolean isRecorded,
      @Nullable Recurrence recurrence,
      @Nullable RecurrenceException unreadable) {
    this.content = content;
    this.millis = millis;
    this.isRecorded = isRecorded;
    this.recurrence = recurrence;
    this.unreadable = unreadable;
  }

  /** Returns the occurrence of a claimed message, or null if the message is not recurring. */
  public static @Nullable Occurrence of(
      Reply.Leased message, FailureLog failures, Recurrences recurrences) {
    Content content = message.content();
    if (RecurrenceHeaders.text(content.headers()) == null) {
      return null;
    }
    OptionalLong deferred = RecurrenceHeaders.occurrence(content.headers());
    Long retried = failures.occurrenceMillis();
    boolean isRecorded = deferred.isPresent() || retried != null;
    long millis = deferred.orElse(retried == null ? message.dueMillis() : retried);
    try {
      Recurrence recurrence = recurrences.of(content.headers());
      return new Occurrence(content, millis, isRecorded, recurrence, null);
    } catch (RecurrenceException e) {
      return new Occurrence(content, millis, isRecorded, null, e);
    }
  }

  /** Returns the planned time in milliseconds from 1970. */
  long millis() {
    return millis;
  }

  /** Returns the planned time. */
  Instant time() {
    return Instant.ofEpochMilli(millis);
  }

  /**
   * Returns the recurrence.
   *
   * @throws RecurrenceException if it can't be read
   */
  public Recurrence recurrence() {
    if (recurrence == null) {
      throw new RecurrenceException(
          unreadable == null
              ? "The recurrence can't be read"
              : String.valueOf(unreadable.getMessage()));
    }
    return recurrence;
  }

  /**
   * Returns the next occurrence, or empty if none follows before the expiry of the message.
   *
   * @param now the store's clock
   * @throws RecurrenceException if the next occurrence can't be computed
   */
  public Optional<Instant> next(Instant now) {
    return recurrence()
        .next(time(), now)
        .filter(next -> next.toEpochMilli() <= content.notAfterMillis());
  }

  /** Returns whether the planned time is stored apart from the due time. */
  public boolean isRecorded() {
    return isRecorded;
  }

  /** Returns the content of the message with the planned time of this occurrence. */
  public Content recorded() {
    return with(content, RecurrenceHeaders.withOccurrence(content.headers(), millis));
  }

  /** Returns the content of the next occurrence. */
  public Content ofNext() {
    Content changed = changedForNext();
    return changed == null ? content : changed;
  }

  /** Returns the content of the next occurrence, or null if it is the current content. */
  @Nullable Content changedForNext() {
    return RecurrenceHeaders.occurrence(content.headers()).isEmpty()
        ? null
        : with(content, RecurrenceHeaders.withoutOccurrence(content.headers()));
  }

  private static Content with(Content old, Map<String, String> headers) {
    return new Content(old.payload(), headers, old.notAfterMillis(), old.createdMillis());
  }
}
