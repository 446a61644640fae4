package io.punctual.journal.log;

import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.report.JournalDamagedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The record of a message, or the reason why the disk could not read it; the other field is null. A
 * record that was read may be damaged.
 */
public record ReadMessage(
    @Nullable MessageRecord record, @Nullable JournalDamagedException damage) {
  public static ReadMessage of(MessageRecord record) {
    return new ReadMessage(record, null);
  }

  static ReadMessage failed(JournalDamagedException damage) {
    return new ReadMessage(null, damage);
  }

  /** Returns the record, or throws why there is none. */
  public MessageRecord orThrow() {
    if (record == null) {
      throw Objects.requireNonNull(damage);
    }
    return record;
  }
}
