package io.punctual.journal.partition;

import io.punctual.journal.format.MessageState;
import io.punctual.journal.format.RecordReader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A state record that was read and whose checksum was verified. */
record StateRecord(MessageState state, ByteBuffer bytes) {
  static StateRecord of(ByteBuffer bytes) {
    return new StateRecord(RecordReader.state(bytes, 0), bytes);
  }

  /** The history in a record; empty if there is no record. */
  static byte[] history(@Nullable StateRecord record) {
    return record == null ? MessageState.NO_HISTORY : RecordReader.history(record.bytes);
  }

  /** The token in a record; 0 if there is no record. */
  static long token(@Nullable StateRecord record) {
    return record == null ? 0 : record.state.token();
  }
}
