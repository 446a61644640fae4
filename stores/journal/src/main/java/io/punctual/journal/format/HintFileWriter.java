package io.punctual.journal.format;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.journal.disk.DiskFile;
import io.punctual.spi.LimitShare;
import io.punctual.spi.PauseNoteFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Writes the entries of a hint, in the order of the segment's records. For one thread. */
final class HintFileWriter implements RecordVisitor {
  private final DiskFile file;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer entries = ByteBuffer.allocate(1 << 18);
  private long at = HintFile.HEADER;

  HintFileWriter(DiskFile file) {
    this.file = file;
  }

  /** The length of the written entries in bytes. */
  long length() {
    return at - HintFile.HEADER;
  }

  int checksum() {
    return (int) crc.getValue();
  }

  /** Writes the buffered entries. */
  void finish() throws IOException {
    entries.flip();
    crc.update(entries.duplicate());
    int length = entries.limit();
    file.write(entries, at);
    at += length;
    entries.clear();
  }

  private ByteBuffer begin(RecordType type, int queue) {
    if (entries.remaining() < HintFile.LONGEST) {
      try {
        finish();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return entries.put(type.code()).putInt(queue);
  }

  @Override
  public void message(
      int queue, long sequence, int hash, long dueMillis, long replaced, int home, Span at) {
    RecordType type = replaced == 0 ? RecordType.MESSAGE : RecordType.REPLACEMENT;
    begin(type, queue).putLong(sequence).putInt(hash).putInt(at.offset).putInt(at.length);
    entries.putLong(dueMillis);
    if (replaced != 0) {
      entries.putLong(replaced).putInt(home);
    }
  }

  @Override
  public void state(int queue, MessageState state, Span at) {
    begin(RecordType.STATE, queue).putLong(state.sequence()).putInt(state.hash());
    entries.putInt(at.offset).putInt(at.length).put(state.code());
    entries.putLong(state.dueMillis()).putLong(state.diedAtMillis());
    entries.putInt(state.attempts()).putLong(state.token());
  }

  @Override
  public void removal(int queue, long sequence, int hash, int home, Span at) {
    begin(RecordType.REMOVAL, queue).putLong(sequence).putInt(hash).putInt(home);
  }

  @Override
  public void queue(int queue, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    begin(RecordType.QUEUE, queue).putShort((short) bytes.length).put(bytes);
  }

  @Override
  public void paused(int queue, boolean paused) {
    begin(RecordType.PAUSED, queue).put((byte) (paused ? 1 : 0));
  }

  @Override
  public void pauseNote(int queue, PauseNote note) {
    byte[] bytes = PauseNoteFormat.encode(note).getBytes(StandardCharsets.UTF_8);
    begin(RecordType.PAUSE_NOTE, queue).putShort((short) bytes.length).put(bytes);
  }

  @Override
  public void limits(int queue, QueueLimits limits) {
    begin(RecordType.LIMITS, queue).putInt(limits.rate());
    entries.putLong(LimitShare.micros(limits.per()));
    entries.putInt(limits.burst()).putInt(limits.concurrency());
  }

  @Override
  public void deleted(int queue) {
    begin(RecordType.DELETED, queue);
  }

  @Override
  public void marks(long nextSequence, long tokenCeiling) {
    begin(RecordType.MARKS, 0).putLong(nextSequence).putLong(tokenCeiling);
  }
}
