package io.punctual.journal;

import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import org.jspecify.annotations.Nullable;

/** Messages as look-ups show them. For the engine's thread alone. */
final class Entries {
  private final LaneState lane;
  private final Changes changes;

  Entries(LaneState lane, Changes changes) {
    this.lane = lane;
    this.changes = changes;
  }

  Entry of(int slot, long nowMillis) {
    Place place = lane.slots().place(slot);
    MessageRecord record = lane.rawMessage(slot);
    String id =
        record.trustedId(lane.slots().hash(slot), lane.hashSeed(), lane.slots().sequence(slot));
    if (id == null) {
      throw lane.damaged(lane.slots().location(slot));
    }
    return new Entry(
        id,
        changes.state(slot, nowMillis),
        content(record),
        changes.dueMillis(slot),
        lane.attempts(slot),
        lane.history(slot),
        place == Place.LEASED ? lane.time(slot) : 0,
        lane.isMarked(slot),
        place == Place.DEAD ? lane.time(slot) : 0);
  }

  private static @Nullable Content content(MessageRecord record) {
    try {
      return record.isIntact() ? record.content() : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
