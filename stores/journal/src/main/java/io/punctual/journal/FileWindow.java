package io.punctual.journal;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads a file front to back in large portions, and gives out any part of it. */
final class FileWindow {
  static final int PORTION = 1 << 18;

  private final DiskFile file;
  private final long size;
  private ByteBuffer window = ByteBuffer.allocate(PORTION).limit(0);
  private long begin;

  FileWindow(DiskFile file) throws IOException {
    this.file = file;
    size = file.size();
  }

  long size() {
    return size;
  }

  /**
   * Returns the bytes from {@code offset} on: as many as asked for, or fewer where the file ends.
   * They are good until the next call.
   */
  ByteBuffer at(long offset, int length) throws IOException {
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
    file.read(window, offset);
    window.flip();
    if (window.limit() < length) {
      throw new IOException("The file got shorter while it was read");
    }
  }
}
