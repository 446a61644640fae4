package io.punctual.spi;

/**
 * A text that a client keeps in the store while the client runs.
 *
 * @param client the client's id
 * @param text the text
 * @param seenMillis the time at which the client last sent the text, by the store's clock, in
 *     milliseconds from 1970
 */
public record Announcement(String client, String text, long seenMillis) {
  /** The largest length of a text, in bytes of UTF-8. */
  public static final int MAX_BYTES = 256 << 10;
}
