package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.spi.PartitionCounts;
import io.punctual.spi.PauseNoteFormat;

/**
 * The reply of counts.lua.
 *
 * @param isComplete whether each message is counted; false if messages are in no place
 */
record Counted(PartitionCounts counts, boolean isComplete) {
  static Counted of(ReplyReader values) {
    PartitionCounts counts =
        new PartitionCounts(
            values.nextLong(),
            values.nextLong(),
            values.nextLong(),
            values.nextLong(),
            values.nextLong(),
            values.nextLong() == 1,
            PauseNoteFormat.decode(new String(values.nextSome(), UTF_8)),
            LimitFields.limits(values.nextText()),
            values.nextLong());
    return new Counted(counts, values.nextLong() == 0);
  }
}
