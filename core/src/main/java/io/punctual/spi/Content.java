package io.punctual.spi;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a message that a store keeps without interpreting it: payload, headers, expiry and
 * time of creation. Neither the store nor the client changes the array of the payload.
 *
 * @param payload the payload's bytes; may be empty
 * @param headers the headers; unmodifiable
 * @param notAfterMillis the last time of the store's clock at which a handler may receive the
 *     message, in milliseconds from 1970, or {@link #ALWAYS}
 * @param createdMillis the time at which the message was first scheduled, by the store's clock, in
 *     milliseconds from 1970, or {@link #UNKNOWN}. A store calls {@link #created} before it stores
 *     the content of an operation other than an {@link Operation.Restore}
 */
public record Content(
    byte[] payload, Map<String, String> headers, long notAfterMillis, long createdMillis) {
  /** The {@link #notAfterMillis} of a message that never expires. */
  public static final long ALWAYS = Long.MAX_VALUE;

  /**
   * The {@link #createdMillis} of a content that no store has yet, and of a message that an earlier
   * version of Punctual stored.
   */
  public static final long UNKNOWN = 0;

  /** Creates a content that no store has yet. */
  public Content(byte[] payload, Map<String, String> headers, long notAfterMillis) {
    this(payload, headers, notAfterMillis, UNKNOWN);
  }

  /** Returns the content of a message with this payload, no headers and no expiry. */
  public static Content of(byte[] payload) {
    return new Content(payload, Map.of(), ALWAYS);
  }

  /** Returns {@link #notAfterMillis} as an instant, or empty if the message never expires. */
  public Optional<Instant> notAfter() {
    return notAfterMillis == ALWAYS
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(notAfterMillis));
  }

  /**
   * Returns this content with a time of creation, unless it has one: the content of a message that
   * is stored again keeps its time.
   *
   * @param millis the store's clock, in milliseconds from 1970
   */
  public Content created(long millis) {
    return createdMillis == UNKNOWN ? new Content(payload, headers, notAfterMillis, millis) : this;
  }

  /** Returns {@link #createdMillis} as an instant, or empty if it is not known. */
  public Optional<Instant> createdAt() {
    return createdMillis == UNKNOWN
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(createdMillis));
  }

  /** Returns the approximate size on the wire in bytes, for limits on batches. */
  public int approximateBytes() {
    int bytes = payload.length + 16;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length() + 4;
    }
    return bytes;
  }
}
