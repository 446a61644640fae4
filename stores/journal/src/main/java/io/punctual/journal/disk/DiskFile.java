package io.punctual.journal.disk;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of the journal. Implementations are safe for use by many threads. */
public interface DiskFile extends AutoCloseable {
  /** Writes all remaining bytes of the buffer to the file, from {@code position} on. */
  void write(ByteBuffer bytes, long position) throws IOException;

  /**
   * Reads until {@code bytes} is full or the file ends.
   *
   * @return how many bytes were read
   * @throws OpenFailedException if the file had to be opened again, and no file can be opened at
   *     the moment; the content of the file may be intact
   */
  int read(ByteBuffer bytes, long position) throws IOException;

  /**
   * Reads {@code length} bytes from {@code position} on.
   *
   * @throws EOFException if the file ends too early
   */
  default ByteBuffer read(long position, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    if (read(bytes, position) < length) {
      throw new EOFException("the file ends within a record");
    }
    return bytes.flip();
  }

  /** Forces all written bytes to the disk. Unforced bytes may not survive a loss of power. */
  void force() throws ForceFailedException;

  /**
   * Throws if another program has cut off bytes that were written, or has deleted or replaced the
   * file. May look for the latter now and then only, because each {@link #force} does. Called
   * before a write, which would hide a cut.
   */
  default void check() throws ForceFailedException {}

  /**
   * Notes that nothing more will be written, so that the file may be closed between two reads to
   * save a file descriptor. All written bytes must have been forced.
   */
  default void endWrites() {}

  /** Returns the file's length in bytes. */
  long size() throws IOException;

  @Override
  void close() throws IOException;
}
