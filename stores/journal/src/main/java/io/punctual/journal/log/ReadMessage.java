package io.punctual.journal.log;

import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.report.JournalDamagedException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The result of reading a message's record: either the record, or the exception if the disk could
 * not read it. The other field is null. The checksum of the record was not verified.
 */
public record ReadMessage(
    @Nullable MessageRecord record, @Nullable JournalDamagedException damage) {
  public static ReadMessage of(MessageRecord record) {
    return new ReadMessage(record, null);
  }

  static ReadMessage failed(JournalDamagedException damage) {
    return new ReadMessage(null, damage);
  }

  /** Returns the record, or throws the exception if it could not be read. */
  public MessageRecord orThrow() {
    if (record == null) {
      throw Objects.requireNonNull(damage);
    }
    return record;
  }
}
