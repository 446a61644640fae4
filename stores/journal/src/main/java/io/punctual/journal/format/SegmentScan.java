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
 * <p>The frames behind it decide whether it is the rest of a write that a loss of power or a kill
 * interrupted, or damage to a frame that was safe. Each frame says how far the file was forced when
 * the frame was written, so a later frame proves that the bad frame had been safe.
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

  /** Walks through a segment, and shows the records of its good frames to {@code visitor}. */
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

  /** Where the good frames end. */
  public long end() {
    return end;
  }

  /** The checksum of the last good frame. */
  public int checksum() {
    return checksum;
  }

  /** Whether the segment was ended on purpose. */
  public boolean hasFooter() {
    return footer;
  }

  /** The fault of the bytes at {@link #end}, or null if there are none. */
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
