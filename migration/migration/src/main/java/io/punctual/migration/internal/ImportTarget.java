package io.punctual.migration.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The queue into which an import schedules, as text. The source keeps the text, or its fingerprint,
 * together with its staged entries, because only this queue shows which of these entries it has
 * received. Immutable.
 *
 * @param text the queue, its store, and the options that determine the ids of messages
 */
public record ImportTarget(String text) {
  /**
   * Describes a queue.
   *
   * @param idOptions the options that determine the ids of messages; may be empty
   */
  public static ImportTarget of(TimedQueue<?> queue, String idOptions) {
    return new ImportTarget(idOptions.isEmpty() ? queue.toString() : queue + ", " + idOptions);
  }

  /** Returns the first digits of the SHA-256 of the text, in hexadecimal. */
  public String fingerprint(int digits) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, digits);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }

  /**
   * Returns the refusal of an import whose source has entries of an import into a different target.
   *
   * @param other the other target, or null if only its fingerprint is known
   */
  public PunctualException refusal(@Nullable String other) {
    return new PunctualException(
        "An unfinished import has staged entries of this source for a different target"
            + (other == null ? "" : ", " + other)
            + "; this import is for "
            + text
            + ". Continue or abort the unfinished import with its own store, queue and options of"
            + " ids, written in the same way",
        null);
  }
}
