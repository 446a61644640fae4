package io.punctual.webhook;

import java.time.Duration;
import java.util.Optional;

/**
 * How a call ended. Immutable.
 *
 * @param status the HTTP status, or 0 without an answer
 * @param millis how long the call took
 * @param text the beginning of the answer, or why there is no whole answer
 * @param isWhole whether the answer is there as a whole, or as much of it as is read
 * @param retryAfter how long the target asks to wait
 */
record Answered(
    int status, long millis, String text, boolean isWhole, Optional<Duration> retryAfter) {
  /** Returns whether the target took the message. */
  boolean isDelivered() {
    return isWhole && status >= 200 && status < 300;
  }

  /** Returns whether the target wants no more calls. */
  boolean isGone() {
    return isWhole && status == 410;
  }

  /** Returns what failed in a word, which groups dead letters. */
  String type() {
    return isWhole || status >= 300 ? "HTTP " + status : "NoAnswer";
  }

  /** Returns what failed in a line, without the answer, which not everybody may see. */
  String reason() {
    return isWhole ? type() : text;
  }
}
