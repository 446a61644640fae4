package io.punctual.internal.message;

import io.punctual.Codec;
import io.punctual.spi.Content;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Replaces the payload of a content. The user's headers stay, and the codec may add headers. The
 * recurrence, the time for which the id is remembered, the expiry and the time of creation also
 * stay.
 */
public final class NewPayload {
  private NewPayload() {}

  /**
   * Returns a content with a new payload. The planned time of a deferred occurrence does not stay,
   * because the content is of the next occurrence.
   *
   * @throws IllegalArgumentException if the payload has more bytes than {@code limit}, or the codec
   *     adds headers that are not allowed
   */
  public static <T> Content in(Content old, T payload, Codec<T> codec, int limit, String queue) {
    Map<String, String> headers = new LinkedHashMap<>(RecurrenceHeaders.ofUser(old.headers()));
    byte[] bytes = codec.encode(payload, headers);
    Checks.headers(headers);
    Checks.payload(bytes, limit, queue);
    Map<String, String> kept = RecurrenceHeaders.withTextOf(old.headers(), headers);
    return new Content(
        bytes,
        RememberHeader.withTimeOf(old.headers(), kept),
        old.notAfterMillis(),
        old.createdMillis());
  }

  /**
   * Returns a content with a new payload for the same occurrence: the planned time of a deferred
   * occurrence stays.
   *
   * @throws IllegalArgumentException as {@link #in} does
   */
  public static <T> Content inSameOccurrence(
      Content old, T payload, Codec<T> codec, int limit, String queue) {
    Content edited = in(old, payload, codec, limit, queue);
    OptionalLong planned = RecurrenceHeaders.occurrence(old.headers());
    return planned.isEmpty()
        ? edited
        : new Content(
            edited.payload(),
            RecurrenceHeaders.withOccurrence(edited.headers(), planned.getAsLong()),
            edited.notAfterMillis(),
            edited.createdMillis());
  }
}
