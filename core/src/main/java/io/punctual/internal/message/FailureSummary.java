package io.punctual.internal.message;

import io.punctual.deadletter.DeadReason;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a dead letter, by which dead letters are grouped. Immutable.
 *
 * @param reason the reason of the burial, or null if it is unknown
 * @param failure the origin of the failure if it names a place in the user's code, otherwise the
 *     details without the parts that differ from message to message
 */
public record FailureSummary(@Nullable DeadReason reason, String failure) {
  private static final int KEY_BYTES = 6;
  private static final int TEXT_LENGTH = 150;

  /** Matches the parts of a text that may differ: quoted texts, and words with digits. */
  private static final Pattern PARTICULAR = Pattern.compile("'[^']*'|[^\\s']*\\d[^\\s']*");

  /** Returns the summary of the failures that a store keeps with a dead letter. */
  public static FailureSummary of(byte[] history) {
    FailureLog log = FailureLog.withoutFailures(history);
    String origin = log.origin();
    if (origin != null && origin.contains(FailureOrigin.AT)) {
      return new FailureSummary(log.reason(), origin);
    }
    String detail = log.detail();
    if (detail == null) {
      FailureLog all = FailureLog.of(history);
      detail = all.last().isEmpty() ? "" : all.last().get(all.last().size() - 1).error();
    }
    return new FailureSummary(log.reason(), general(detail));
  }

  private static String general(String detail) {
    return FailureLog.cut(PARTICULAR.matcher(detail).replaceAll("#"), TEXT_LENGTH);
  }

  /** Returns the key of the group. */
  public String key() {
    byte[] text =
        ((reason == null ? "" : reason.name()) + '\n' + failure).getBytes(StandardCharsets.UTF_8);
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(text);
      return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
