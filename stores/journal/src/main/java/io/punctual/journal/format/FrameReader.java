package io.punctual.journal.format;

import io.punctual.journal.disk.FileWindow;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the intact frames of a segment. A frame's checksum includes the segment's salt and the
 * frame's position, so that no part of a payload is mistaken for a frame.
 */
public final class FrameReader {
  private final FileWindow window;
  private final long salt;

  public FrameReader(FileWindow window, long salt) {
    this.window = window;
    this.salt = salt;
  }

  /** The file's length in bytes. */
  public long size() {
    return window.size();
  }

  /** Returns up to {@code length} bytes from {@code offset} on, fewer at the end of the file. */
  public ByteBuffer bytes(long offset, int length) throws IOException {
    return window.at(offset, length);
  }

  /** Returns the whole frame at {@code offset}, or null if no intact frame begins there. */
  public @Nullable ByteBuffer at(long offset) throws IOException {
    ByteBuffer head = window.at(offset, FrameFormat.HEADER);
    if (!FrameFormat.isHeader(head, salt, offset)) {
      return null;
    }
    int length = FrameFormat.HEADER + head.getInt(4);
    if (offset + length > window.size()) {
      return null;
    }
    ByteBuffer frame = window.at(offset, length);
    return FrameFormat.isIntact(frame, salt, offset) ? frame : null;
  }

  /**
   * Returns the offset of the first frame with a valid header that begins at {@code offset} or
   * later, or the length of the file if there is none. The records of the frame may be damaged.
   */
  public long next(long offset) throws IOException {
    long at = offset;
    while (at < window.size()
        && !FrameFormat.isHeader(window.at(at, FrameFormat.HEADER), salt, at)) {
      at++;
    }
    return Math.min(at, window.size());
  }
}
