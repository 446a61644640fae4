package io.punctual.journal.format;

import io.punctual.journal.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes a whole segment, frame by frame, and ends it with a footer. For one thread. */
public final class SegmentWriter {
  private static final int FRAME_BYTES = 1 << 20;

  private final DiskFile file;
  private final SegmentHeader header;
  private RecordBuffer records = new RecordBuffer(FrameFormat.HEADER);
  private long base = SegmentHeader.LENGTH;
  private int checksum;

  public SegmentWriter(DiskFile file, SegmentHeader header) throws IOException {
    this.file = file;
    this.header = header;
    checksum = header.seed();
    file.write(header.encode(), 0);
  }

  /** Returns the maximum length in bytes of a segment with {@code records} bytes of records. */
  public static long mostBytes(long records) {
    long frames = records / (FRAME_BYTES / 2) + 2;
    return SegmentHeader.LENGTH
        + records
        + frames * FrameFormat.HEADER
        + RecordType.FOOTER.leastLength();
  }

  public RecordBuffer records() {
    return records;
  }

  /** The number of bytes that were written so far. */
  public long written() {
    return base;
  }

  /**
   * Writes the buffered records as a frame if they have at least 1 MiB, and returns the number of
   * written bytes. Called after each record.
   */
  public int added() throws IOException {
    return records.size() < FRAME_BYTES ? 0 : write();
  }

  /** Ends the segment and forces it. */
  public Manifest.Entry end() throws IOException {
    if (records.records() > 0) {
      write();
    }
    records.footer();
    write();
    file.force();
    return new Manifest.Entry(header, base, checksum);
  }

  private int write() throws IOException {
    ByteBuffer bytes = records.written();
    int size = bytes.limit();
    checksum = FrameFormat.seal(bytes, records.records(), 0, checksum, header.salt(), base);
    file.write(bytes, base);
    base += size;
    records = new RecordBuffer(FrameFormat.HEADER);
    return size;
  }
}
