package io.punctual.journal.format;

import io.punctual.spi.LimitShare;
import io.punctual.spi.PauseNoteFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads the entries of a hint after its checksum was verified. For one thread. */
final class HintFileReader {
  private final RecordVisitor visitor;
  private final RecordVisitor.Span span = new RecordVisitor.Span();

  HintFileReader(RecordVisitor visitor) {
    this.visitor = visitor;
  }

  /**
   * Passes the first entry in {@code in} to the visitor, and returns the entry's length in bytes.
   */
  int read(ByteBuffer in) {
    RecordType type = RecordType.of(in.get());
    int queue = in.getInt();
    if (type == null) {
      throw new IllegalStateException("A hint with a right checksum has an entry of no type");
    }
    switch (type) {
      case MESSAGE, REPLACEMENT -> message(type, queue, in);
      case STATE -> state(queue, in);
      case REMOVAL -> {
        span.length = type.leastLength();
        visitor.removal(queue, in.getLong(), in.getInt(), in.getInt(), span);
      }
      case QUEUE -> {
        byte[] name = new byte[in.getShort()];
        in.get(name);
        visitor.queue(queue, new String(name, StandardCharsets.UTF_8));
      }
      case PAUSED -> visitor.paused(queue, in.get() != 0);
      case DELETED -> visitor.deleted(queue);
      case LIMITS ->
          visitor.limits(
              queue, LimitShare.limits(in.getInt(), in.getLong(), in.getInt(), in.getInt()));
      case PAUSE_NOTE -> {
        byte[] note = new byte[in.getShort()];
        in.get(note);
        visitor.pauseNote(queue, PauseNoteFormat.decode(new String(note, StandardCharsets.UTF_8)));
      }
      case MARKS -> visitor.marks(in.getLong(), in.getLong());
      case FOOTER -> throw new IllegalStateException("A hint with a right checksum has a footer");
    }
    return in.position();
  }

  private void message(RecordType type, int queue, ByteBuffer in) {
    long sequence = in.getLong();
    int hash = in.getInt();
    span.offset = in.getInt();
    span.length = in.getInt();
    long due = in.getLong();
    boolean replaces = type == RecordType.REPLACEMENT;
    long replaced = replaces ? in.getLong() : 0;
    visitor.message(queue, sequence, hash, due, replaced, replaces ? in.getInt() : 0, span);
  }

  private void state(int queue, ByteBuffer in) {
    long sequence = in.getLong();
    int hash = in.getInt();
    span.offset = in.getInt();
    span.length = in.getInt();
    MessageState state =
        new MessageState(
            sequence,
            hash,
            MessageState.place(in.get()),
            in.getLong(),
            in.getLong(),
            in.getInt(),
            in.getLong());
    visitor.state(queue, state, span);
  }
}
