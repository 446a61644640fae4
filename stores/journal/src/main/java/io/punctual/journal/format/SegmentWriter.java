package io.punctual.journal.format;

import io.punctual.journal.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Writes a whole segment at once, frame by frame, and ends it. For one thread. */
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

  /** How many bytes a segment with so many bytes of records has at most. */
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

  /** Where the next record will be. */
  int nextOffset() {
    return Math.toIntExact(base + records.size());
  }

  /** How many bytes the file has so far. */
  public long written() {
    return base;
  }

  /** Writes the frame if it is large enough; returns how many bytes were written. */
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
