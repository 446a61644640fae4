package io.punctual.redis;

import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;

/**
 * The field {@code limits} of a partition: its share, and the limits of the queue; see limits.lua.
 */
final class LimitFields {
  /** The number of values of the share, before the limits of the queue. */
  private static final int SHARE = 4;

  private LimitFields() {}

  /** Returns the field for a partition, or an empty text if there are no limits. */
  static String text(QueueLimits limits, int index, int partitions) {
    if (limits.equals(QueueLimits.none())) {
      return "";
    }
    LimitShare share = LimitShare.of(limits, index, partitions);
    return share.tokens()
        + " "
        + share.perMicros()
        + " "
        + share.burst()
        + " "
        + (share.hasConcurrency() ? share.concurrency() : 0)
        + " "
        + LimitShare.text(limits);
  }

  /** Reads the limits of the queue from the field. */
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
}
