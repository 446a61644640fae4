package io.punctual.journal.disk;

import io.punctual.journal.report.JournalDamagedException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * Reads a file in large portions, and returns slices of them. Made for reads from the start of the
 * file to its end. Bytes that the disk can't read are reported as damage.
 */
public final class FileWindow {
  public static final int PORTION = 1 << 18;

  private final DiskFile file;
  private final String name;
  private final long size;
  private ByteBuffer window = ByteBuffer.allocate(PORTION).limit(0);
  private long begin;

  public FileWindow(DiskFile file, String name) throws IOException {
    this.file = file;
    this.name = name;
    size = file.size();
  }

  public long size() {
    return size;
  }

  /**
   * Returns up to {@code length} bytes from {@code offset} on, fewer at the end of the file. The
   * returned buffer is valid until the next call.
   *
   * @throws JournalDamagedException if the disk can't read the bytes
   */
  public ByteBuffer at(long offset, int length) throws IOException {
    int available = (int) Math.max(0, Math.min(length, size - offset));
    if (offset < begin || offset + available > begin + window.limit()) {
      fill(offset, available);
    }
    return window.slice((int) (offset - begin), available);
  }

  private void fill(long offset, int length) throws IOException {
    if (window.capacity() < length) {
      window = ByteBuffer.allocate(length);
    }
    window.clear();
    begin = offset;
    read(offset);
    window.flip();
    if (window.limit() < length) {
      throw unreadable(offset + window.limit(), new EOFException("the file ends too early"));
    }
  }

  private void read(long offset) throws IOException {
    try {
      file.read(window, offset);
    } catch (ClosedChannelException | OpenFailedException e) {
      // An interrupt of this thread closes the file, and a process may have too many open files.
      // The exception therefore proves no fault of the disk.
      throw e;
    } catch (IOException e) {
      window.clear().limit(0);
      throw unreadable(offset, e);
    }
  }

  private JournalDamagedException unreadable(long offset, IOException why) {
    return new JournalDamagedException(name, offset, "it can't be read: " + why.getMessage(), why);
  }
}
