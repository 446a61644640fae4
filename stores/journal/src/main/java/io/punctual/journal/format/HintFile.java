package io.punctual.journal.format;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A hint: the records of an ended segment without contents and histories, so that a start reads a
 * fraction of the bytes. A hint is written after its segment was ended. If a hint is missing or
 * damaged, a start reads the segment itself. See docs/journal-format.md for its bytes.
 */
public final class HintFile {
  public static final int HEADER = 56;

  /** The room in bytes for any entry; the longest entry has the note of a pause. */
  static final int LONGEST = 1024;

  private static final long MAGIC = 0x50554E43_54484E54L;
  private static final int VERSION = 1;

  private HintFile() {}

  /**
   * Writes the hint of a segment to a temporary file, forces it, and renames it to its own name.
   *
   * @return the length of the hint in bytes
   */
  public static int write(Disk disk, Manifest.Entry segment) throws IOException {
    int written;
    String name = FileNames.hint(segment.header().file());
    String aside = FileNames.aside(name);
    try (DiskFile from = disk.open(segment.name());
        DiskFile to = disk.create(aside)) {
      HintFileWriter writer = new HintFileWriter(to);
      SegmentScan scan = scan(from, segment, writer);
      if (!scan.hasFooter() || scan.trouble() != null || scan.checksum() != segment.checksum()) {
        throw scan.damage();
      }
      writer.finish();
      to.write(header(segment, writer.length(), writer.checksum()), 0);
      to.force();
      written = (int) Math.min(Integer.MAX_VALUE, HEADER + writer.length());
    }
    disk.rename(aside, name);
    return written;
  }

  private static SegmentScan scan(DiskFile from, Manifest.Entry segment, HintFileWriter writer)
      throws IOException {
    try {
      return SegmentScan.of(from, segment.name(), writer);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static ByteBuffer header(Manifest.Entry segment, long length, int checksum) {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(segment.header().file());
    bytes.putLong(segment.header().salt()).putLong(segment.length()).putInt(segment.checksum());
    bytes.putInt(0).putLong(length).putInt(checksum);
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, bytes.position()));
    return bytes.putInt((int) crc.getValue()).flip();
  }

  /** Whether a file is the intact hint of this segment. May read the whole file. */
  public static boolean isOf(DiskFile file, Manifest.Entry segment) throws IOException {
    try {
      return isOf(new FileWindow(file, FileNames.hint(segment.header().file())), segment);
    } catch (JournalDamagedException e) {
      return false;
    }
  }

  private static boolean isOf(FileWindow window, Manifest.Entry segment) throws IOException {
    if (window.size() < HEADER) {
      return false;
    }
    ByteBuffer found = window.at(0, HEADER);
    long length = found.getLong(40);
    int checksum = found.getInt(48);
    return found.equals(header(segment, length, checksum))
        && length == window.size() - HEADER
        && checksum == checksum(window);
  }

  private static int checksum(FileWindow window) throws IOException {
    CRC32C crc = new CRC32C();
    for (long at = HEADER; at < window.size(); at += FileWindow.PORTION) {
      crc.update(window.at(at, FileWindow.PORTION));
    }
    return (int) crc.getValue();
  }

  /**
   * Passes the entries of a hint to {@code visitor}, in the order of the segment's records. The
   * hint must have passed {@link #isOf}.
   */
  public static void read(DiskFile file, String name, RecordVisitor visitor) throws IOException {
    FileWindow window = new FileWindow(file, name);
    HintFileReader reader = new HintFileReader(visitor);
    long at = HEADER;
    while (at < window.size()) {
      at += reader.read(window.at(at, LONGEST));
    }
  }
}
