package io.punctual.spi;

import java.util.Map;

/**
 * What a store keeps of a message without looking at it. The array is never changed once it is
 * here, by neither side.
 *
 * @param payload the payload's bytes; may be empty
 * @param headers the headers; unmodifiable
 * @param notAfterMillis the last engine time at which a handler may be given the message, in
 *     milliseconds from 1970, or {@link #ALWAYS}
 */
public record Content(byte[] payload, Map<String, String> headers, long notAfterMillis) {
  /** The {@link #notAfterMillis} of a message that is always wanted. */
  public static final long ALWAYS = Long.MAX_VALUE;

  /** Returns the content of a message with this payload and nothing else. */
  public static Content of(byte[] payload) {
    return new Content(payload, Map.of(), ALWAYS);
  }

  /** Returns about how many bytes this takes on the wire, for limits on batches. */
  public int approximateBytes() {
    int bytes = payload.length + 16;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length() + 4;
    }
    return bytes;
  }
}
