package io.punctual.journal;

import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Messages as look-ups show them. For the engine's thread alone. */
final class Entries {
  private final LaneState lane;
  private final Changes changes;

  Entries(LaneState lane, Changes changes) {
    this.lane = lane;
    this.changes = changes;
  }

  /**
   * A message as a look-up shows it.
   *
   * @throws JournalDamagedException if its id can't be read; anything else is left out then
   */
  Entry of(int slot, long nowMillis) {
    Place place = lane.slots().place(slot);
    return new Entry(
        lane.reads().id(slot),
        changes.state(slot, nowMillis),
        content(slot),
        readable(() -> changes.dueMillis(slot), lane.time(slot)),
        lane.attempts(slot),
        readable(() -> lane.reads().history(slot), LaneState.NO_HISTORY),
        place == Place.LEASED ? lane.time(slot) : 0,
        lane.isMarked(slot),
        place == Place.DEAD ? lane.time(slot) : 0);
  }

  private @Nullable Content content(int slot) {
    try {
      return lane.reads().intact(slot, lane.reads().message(slot)).content();
    } catch (IllegalArgumentException | JournalDamagedException e) {
      return null;
    }
  }

  private static <T> T readable(Supplier<T> read, T otherwise) {
    try {
      return read.get();
    } catch (JournalDamagedException e) {
      return otherwise;
    }
  }
}
