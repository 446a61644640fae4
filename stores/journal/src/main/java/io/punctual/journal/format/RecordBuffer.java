package io.punctual.journal.format;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.spi.LimitShare;
import io.punctual.spi.PauseNoteFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A buffer of encoded records, in the format of docs/journal-format.md. It grows as needed. For one
 * thread at a time.
 */
public final class RecordBuffer {
  private static final int LEAST_BYTES = 8192;

  private final CRC32C crc = new CRC32C();
  private ByteBuffer bytes;
  private int records;

  /** Creates a buffer that leaves {@code reserved} bytes free in front of the records. */
  public RecordBuffer(int reserved) {
    this(reserved, 0);
  }

  /**
   * Creates a buffer that leaves {@code reserved} bytes free in front of the records, with room for
   * about {@code expected} bytes in all.
   */
  public RecordBuffer(int reserved, int expected) {
    bytes = ByteBuffer.allocate(Math.max(LEAST_BYTES, expected));
    bytes.position(reserved);
  }

  public int size() {
    return bytes.position();
  }

  public int records() {
    return records;
  }

  /** Returns the reserved bytes and the records. The result shares its bytes with this buffer. */
  public ByteBuffer written() {
    return bytes.duplicate().flip();
  }

  public void message(int queue, long sequence, long dueMillis, Id id, byte[] content) {
    int begin = begin(RecordType.MESSAGE, 22 + id.bytes().length + content.length + 4, queue);
    bytes.putLong(sequence).putInt(id.hash()).putLong(dueMillis);
    finish(begin, id, content);
  }

  public void replacement(
      int queue, long sequence, long dueMillis, Id id, byte[] content, long replaced, int home) {
    int length = 34 + id.bytes().length + content.length + 4;
    int begin = begin(RecordType.REPLACEMENT, length, queue);
    bytes.putLong(sequence).putInt(id.hash()).putLong(dueMillis).putLong(replaced).putInt(home);
    finish(begin, id, content);
  }

  private void finish(int begin, Id id, byte[] content) {
    bytes.putShort((short) id.bytes().length).put(id.bytes()).put(content);
    checksum(begin);
  }

  public void state(int queue, MessageState state, byte[] history) {
    int begin = begin(RecordType.STATE, 45 + history.length + 4, queue);
    bytes.putLong(state.sequence()).putInt(state.hash()).put(state.code());
    bytes.putLong(state.dueMillis()).putLong(state.diedAtMillis());
    bytes.putInt(state.attempts()).putLong(state.token());
    bytes.putInt(history.length).put(history);
    checksum(begin);
  }

  public void removal(int queue, long sequence, int hash, int home) {
    begin(RecordType.REMOVAL, 16, queue);
    bytes.putLong(sequence).putInt(hash).putInt(home);
  }

  public void queue(int queue, byte[] name) {
    int begin = begin(RecordType.QUEUE, name.length + 4, queue);
    bytes.put(name);
    checksum(begin);
  }

  /** Returns the length of a queue's record in bytes. */
  public static int queueBytes(byte[] name) {
    return RecordType.PREFIX + name.length + 4;
  }

  public void paused(int queue, boolean paused) {
    begin(RecordType.PAUSED, 1, queue);
    bytes.put((byte) (paused ? 1 : 0));
  }

  public void pauseNote(int queue, PauseNote note) {
    byte[] text = PauseNoteFormat.encode(note).getBytes(StandardCharsets.UTF_8);
    begin(RecordType.PAUSE_NOTE, text.length, queue);
    bytes.put(text);
  }

  public void limits(int queue, QueueLimits limits) {
    begin(RecordType.LIMITS, 20, queue);
    bytes.putInt(limits.rate()).putLong(LimitShare.micros(limits.per()));
    bytes.putInt(limits.burst()).putInt(limits.concurrency());
  }

  public void deleted(int queue) {
    begin(RecordType.DELETED, 0, queue);
  }

  public void marks(long nextSequence, long tokenCeiling) {
    begin(RecordType.MARKS, 16, 0);
    bytes.putLong(nextSequence).putLong(tokenCeiling);
  }

  public void footer() {
    begin(RecordType.FOOTER, 0, 0);
  }

  /** Appends a copy of an encoded record. */
  public void copy(ByteBuffer record) {
    reserve(record.remaining());
    bytes.put(record);
    records++;
  }

  private int begin(RecordType type, int rest, int queue) {
    int length = RecordType.PREFIX + rest;
    reserve(length);
    int begin = bytes.position();
    bytes.put(type.code()).putInt(length).putInt(queue);
    records++;
    return begin;
  }

  private void checksum(int begin) {
    crc.reset();
    crc.update(bytes.array(), begin, bytes.position() - begin);
    bytes.putInt((int) crc.getValue());
  }

  private void reserve(int length) {
    if (bytes.remaining() < length) {
      int needed = bytes.position() + length;
      ByteBuffer larger = ByteBuffer.allocate(Math.max(needed, bytes.capacity() * 2));
      larger.put(bytes.flip());
      bytes = larger;
    }
  }
}
