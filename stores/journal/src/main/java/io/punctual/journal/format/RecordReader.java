package io.punctual.journal.format;

import io.punctual.Limits;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.LimitShare;
import io.punctual.spi.PauseNoteFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * Reads records whose checksum, or whose frame's checksum, was verified. If such a record is
 * invalid nevertheless, the damage happens to match the checksum, or the writer has a fault.
 */
public final class RecordReader {
  private final RecordVisitor.Span span = new RecordVisitor.Span();
  private final String file;

  public RecordReader(String file) {
    this.file = file;
  }

  /**
   * Passes the records of a frame to {@code visitor}.
   *
   * @param offset the position of the first record in the file
   * @return whether the last record was the footer
   * @throws JournalDamagedException if a record is malformed
   */
  public boolean read(ByteBuffer records, int count, long offset, RecordVisitor visitor) {
    RecordType last = RecordType.MARKS;
    int begin = records.position();
    for (int i = 0; i < count; i++) {
      int at = records.position();
      span.offset = (int) (offset + at - begin);
      last = type(records, at);
      span.length = length(last, records, at);
      int end = at + span.length;
      show(last, records, visitor);
      records.position(end);
    }
    if (records.hasRemaining()) {
      throw damaged(offset + records.position() - begin, "more bytes than records");
    }
    return last == RecordType.FOOTER;
  }

  private RecordType type(ByteBuffer records, int at) {
    if (records.remaining() < RecordType.PREFIX) {
      throw damaged(span.offset, "a record is cut off");
    }
    RecordType type = RecordType.of(records.get(at));
    if (type == null) {
      throw damaged(span.offset, "a record of the unknown type " + records.get(at));
    }
    return type;
  }

  private int length(RecordType type, ByteBuffer records, int at) {
    int length = records.getInt(at + 1);
    if (length < type.leastLength() || length > records.remaining()) {
      throw damaged(span.offset, "a record's length of " + length + " can't be");
    }
    return length;
  }

  private void show(RecordType type, ByteBuffer in, RecordVisitor visitor) {
    int at = in.position();
    int queue = in.getInt(at + 5);
    switch (type) {
      case MESSAGE ->
          visitor.message(
              queue, in.getLong(at + 9), in.getInt(at + 17), in.getLong(at + 21), 0, 0, span);
      case REPLACEMENT ->
          visitor.message(
              queue,
              in.getLong(at + 9),
              in.getInt(at + 17),
              in.getLong(at + 21),
              in.getLong(at + 29),
              in.getInt(at + 37),
              span);
      case STATE -> visitor.state(queue, state(in, at), span);
      case REMOVAL ->
          visitor.removal(queue, in.getLong(at + 9), in.getInt(at + 17), in.getInt(at + 21), span);
      case QUEUE -> visitor.queue(queue, name(in, at));
      case PAUSED -> visitor.paused(queue, in.get(at + 9) != 0);
      case MARKS -> visitor.marks(in.getLong(at + 9), in.getLong(at + 17));
      case DELETED -> visitor.deleted(queue);
      case LIMITS -> visitor.limits(queue, limits(in, at));
      case PAUSE_NOTE -> visitor.pauseNote(queue, note(in, at));
      case FOOTER -> {}
    }
  }

  private QueueLimits limits(ByteBuffer in, int at) {
    try {
      return LimitShare.limits(
          in.getInt(at + 9), in.getLong(at + 13), in.getInt(at + 21), in.getInt(at + 25));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw damaged(span.offset, "the limits of a queue can't be read: " + e.getMessage());
    }
  }

  private PauseNote note(ByteBuffer in, int at) {
    int length = span.length - RecordType.PREFIX;
    String text = new String(in.array(), in.arrayOffset() + at + 9, length, StandardCharsets.UTF_8);
    try {
      return PauseNoteFormat.decode(text);
    } catch (IllegalArgumentException e) {
      throw damaged(span.offset, "the note of a pause can't be read: " + e.getMessage());
    }
  }

  private String name(ByteBuffer in, int at) {
    int length = span.length - RecordType.PREFIX - 4;
    if (length < 1 || length > Limits.QUEUE_NAME_LENGTH) {
      throw damaged(span.offset, "a queue's name of " + length + " bytes");
    }
    return new String(in.array(), in.arrayOffset() + at + 9, length, StandardCharsets.UTF_8);
  }

  public static MessageState state(ByteBuffer in, int at) {
    return new MessageState(
        in.getLong(at + 9),
        in.getInt(at + 17),
        MessageState.place(in.get(at + 21)),
        in.getLong(at + 22),
        in.getLong(at + 30),
        in.getInt(at + 38),
        in.getLong(at + 42));
  }

  /** Returns the history in a state record. The buffer must have the whole record. */
  public static byte[] history(ByteBuffer record) {
    byte[] history = new byte[record.getInt(50)];
    record.get(54, history);
    return history;
  }

  /**
   * Whether the checksum of a record is right. The record must be of a message, a replacement, a
   * state or a queue.
   */
  public static boolean isIntact(ByteBuffer record) {
    int body = record.limit() - 4;
    CRC32C crc = new CRC32C();
    crc.update(record.array(), record.arrayOffset(), body);
    return (int) crc.getValue() == record.getInt(body);
  }

  private JournalDamagedException damaged(long offset, String reason) {
    return new JournalDamagedException(file, offset, reason);
  }
}
