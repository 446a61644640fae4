package io.punctual.journal.format;

import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a segment's frames and stops at the first damaged or unfinished frame.
 *
 * <p>A bad frame has one of two causes: a loss of power or a kill interrupted its write, or it was
 * damaged after it had been forced. The frames after it can show the cause. Each frame records how
 * far the file was forced when the frame was written. A later frame can therefore prove that the
 * bad frame had been forced.
 */
public final class SegmentScan {
  private final String name;
  private final FrameReader frames;
  private final RecordReader records;
  private final SegmentHeader header;

  private long end = SegmentHeader.LENGTH;
  private int checksum;
  private boolean footer;
  private @Nullable String trouble;

  private SegmentScan(DiskFile file, String name) throws IOException {
    this.name = name;
    FileWindow window = new FileWindow(file, name);
    records = new RecordReader(name);
    header = SegmentHeader.decode(window.at(0, SegmentHeader.LENGTH), name);
    frames = new FrameReader(window, header.salt());
    checksum = header.seed();
  }

  /** Reads a segment, and passes the records of its good frames to {@code visitor}. */
  public static SegmentScan of(DiskFile file, String name, RecordVisitor visitor)
      throws IOException {
    SegmentScan scan = new SegmentScan(file, name);
    while (!scan.footer && scan.trouble == null && scan.end < scan.frames.size()) {
      scan.frame(visitor);
    }
    if (scan.footer && scan.end < scan.frames.size()) {
      scan.trouble = "more bytes after the end of the segment";
    }
    return scan;
  }

  public SegmentHeader header() {
    return header;
  }

  /** The offset of the end of the last good frame. */
  public long end() {
    return end;
  }

  /** The checksum of the last good frame. */
  public int checksum() {
    return checksum;
  }

  public boolean hasFooter() {
    return footer;
  }

  /** Describes the fault of the bytes at {@link #end}; null if the file has no bytes there. */
  public @Nullable String trouble() {
    return trouble;
  }

  public JournalDamagedException damage() {
    return new JournalDamagedException(
        name, end, trouble == null ? "the segment ends too early" : trouble);
  }

  /** Whether a good frame was written after the bytes at {@link #end} had been forced. */
  public boolean isTroubleAfterForce() throws IOException {
    for (long at = end + 1; at + FrameFormat.HEADER < frames.size(); at++) {
      ByteBuffer frame = frames.at(at);
      if (frame != null && at - Integer.toUnsignedLong(frame.getInt(12)) > end) {
        return true;
      }
    }
    return false;
  }

  private void frame(RecordVisitor visitor) throws IOException {
    ByteBuffer frame = frames.at(end);
    if (frame == null) {
      trouble = "not a whole frame, or its checksum is wrong";
      return;
    }
    if (frame.getInt(16) != checksum) {
      trouble = "the frame does not follow the one before";
      return;
    }
    int length = frame.limit() - FrameFormat.HEADER;
    ByteBuffer body = frame.slice(FrameFormat.HEADER, length);
    footer = records.read(body, frame.getInt(8), end + FrameFormat.HEADER, visitor);
    checksum = FrameFormat.checksumOf(frame);
    end += frame.limit();
  }
}
