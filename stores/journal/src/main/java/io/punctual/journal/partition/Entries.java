package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Creates the {@link Entry} of a message for look-ups. For the journal's thread alone. */
final class Entries {
  private final PartitionState partition;
  private final JournalTable table;

  Entries(PartitionState partition, JournalTable table) {
    this.partition = partition;
    this.table = table;
  }

  /**
   * Returns the entry of a message. A part that can't be read is null or has a default.
   *
   * @throws JournalDamagedException if the id can't be read
   */
  Entry of(int slot, long nowMillis) {
    return of(slot, nowMillis, true);
  }

  /** Returns the entry of a message, with its content if it is requested. */
  Entry of(int slot, long nowMillis, boolean withContent) {
    Place place = partition.slots().place(slot);
    return new Entry(
        partition.reads().id(slot),
        table.state(slot, nowMillis),
        withContent && place != Place.FINISHED ? content(slot) : null,
        readable(() -> table.dueMillis(slot), partition.time(slot)),
        partition.attempts(slot),
        readable(() -> partition.reads().history(slot), MessageState.NO_HISTORY),
        place == Place.LEASED ? partition.time(slot) : 0,
        partition.isMarked(slot),
        place == Place.DEAD ? partition.time(slot) : 0,
        place == Place.LEASED ? partition.lease(slot).holder : null);
  }

  private @Nullable Content content(int slot) {
    try {
      return partition.reads().intact(slot, partition.reads().message(slot)).content();
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
