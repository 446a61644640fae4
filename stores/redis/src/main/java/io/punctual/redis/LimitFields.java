package io.punctual.redis;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.LimitUse;
import io.punctual.spi.ShareLedger;
import java.util.Optional;

/**
 * Converts the limits of a partition to and from the texts that the scripts use; limits.lua and
 * shares.lua describe these texts.
 */
final class LimitFields {
  /**
   * The number of values in the field {@code limits} that describe the partition's share of the
   * limits; the limits of the whole queue follow them.
   */
  private static final int SHARE = 5;

  private LimitFields() {}

  /** Returns the limits of a queue as a text, or an empty text if there are no limits. */
  static String text(QueueLimits limits) {
    return limits.equals(QueueLimits.none()) ? "" : LimitShare.text(limits);
  }

  static QueueLimits limits(String text) {
    if (text.isEmpty()) {
      return QueueLimits.none();
    }
    int from = 0;
    for (int i = 0; i < SHARE; i++) {
      from = text.indexOf(' ', from) + 1;
    }
    return LimitShare.parse(text.substring(from));
  }

  private static QueueLimits whole(String text) {
    return LimitShare.parse(text.isEmpty() ? null : text);
  }

  /** Reads the result of share.lua; empty if the partition never had limits. */
  static Optional<LimitUse> use(ReplyReader values) {
    return values.hasNext()
        ? Optional.of(
            new LimitUse(
                whole(values.nextText()),
                ShareLedger.parse(values.nextText()),
                values.nextLong(),
                values.nextLong(),
                values.nextLong(),
                values.nextLong(),
                values.nextLong() == 1,
                values.nextLong() == 1))
        : Optional.empty();
  }
}
