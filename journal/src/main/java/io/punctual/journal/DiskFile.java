package io.punctual.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A file of the journal. Implementations are safe for use by many threads. */
interface DiskFile extends AutoCloseable {
  /** Writes all that remains of {@code bytes}, from {@code position} of the file on. */
  void write(ByteBuffer bytes, long position) throws IOException;

  /**
   * Reads until {@code bytes} is full or the file ends.
   *
   * @return how many bytes were read
   */
  int read(ByteBuffer bytes, long position) throws IOException;

  /** Forces what was written; nothing is safe from a loss of power before. */
  void force() throws ForceFailedException;

  /** Returns the file's length in bytes. */
  long size() throws IOException;

  @Override
  void close() throws IOException;
}
