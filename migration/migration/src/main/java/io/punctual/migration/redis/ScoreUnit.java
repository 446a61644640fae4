package io.punctual.migration.redis;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** The unit of the scores of a sorted set, which are times since 1970. */
public enum ScoreUnit {
  /** Seconds; a score may have a fraction. */
  SECONDS(3),
  /** Milliseconds. */
  MILLISECONDS(0);

  /** The largest number of digits of a time in milliseconds. */
  private static final int MOST_DIGITS = 18;

  private final int shift;

  ScoreUnit(int shift) {
    this.shift = shift;
  }

  /**
   * Returns a score as a due time in milliseconds since 1970, rounded up.
   *
   * @throws NumberFormatException if the score is infinite, or too large for a time
   */
  long dueMillis(String score) {
    BigDecimal millis = new BigDecimal(score).scaleByPowerOfTen(shift);
    if (millis.precision() - millis.scale() > MOST_DIGITS) {
      throw new NumberFormatException("The score " + score + " is no time");
    }
    return millis.setScale(0, RoundingMode.CEILING).longValueExact();
  }
}
