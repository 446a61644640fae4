package io.punctual.spi;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The part of a message that a store keeps without interpreting it: payload, headers and expiry.
 * Neither the store nor the client changes the array.
 *
 * @param payload the payload's bytes; may be empty
 * @param headers the headers; unmodifiable
 * @param notAfterMillis the last time of the store's clock at which a handler may receive the
 *     message, in milliseconds from 1970, or {@link #ALWAYS}
 */
public record Content(byte[] payload, Map<String, String> headers, long notAfterMillis) {
  /** The {@link #notAfterMillis} of a message that never expires. */
  public static final long ALWAYS = Long.MAX_VALUE;

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

  /** Returns the approximate size on the wire in bytes, for limits on batches. */
  public int approximateBytes() {
    int bytes = payload.length + 16;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length() + 4;
    }
    return bytes;
  }
}
