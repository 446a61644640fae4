package io.punctual.journal.format;

import io.punctual.journal.report.JournalDamagedException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header of a segment's file.
 *
 * @param file the number of the file, never used twice in a journal
 * @param first the number of the first segment that this segment replaces, or its own number
 * @param last the number of the last segment that it replaces; equal to {@code first} unless
 *     segments were merged
 * @param cleaned no segment below this number removes a message that is still in this segment; 0 if
 *     the segment was never compacted
 * @param salt a random number, which the checksums of the frames in the file cover
 * @param hashSeed the seed of the hashes of ids in the journal, the same as in its manifest
 */
public record SegmentHeader(int file, int first, int last, int cleaned, long salt, long hashSeed) {
  public static final int LENGTH = 48;

  private static final long MAGIC = 0x50554E43_54554C4AL;
  private static final int VERSION = 1;

  /**
   * Returns the header of a new segment that replaces the segments from this segment to the segment
   * {@code newLast}.
   */
  public SegmentHeader successor(int newFile, int newLast, int newCleaned, long newSalt) {
    return new SegmentHeader(newFile, first, newLast, newCleaned, newSalt, hashSeed);
  }

  /** Whether the ranges {@code first} to {@code last} of both headers have a common number. */
  public boolean overlaps(SegmentHeader other) {
    return first <= other.last && other.first <= last;
  }

  /** The value that the first frame has in place of a previous frame's checksum. */
  public int seed() {
    return (int) (salt ^ (salt >>> 32));
  }

  public ByteBuffer encode() {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    bytes.putLong(MAGIC).putInt(VERSION).putInt(file).putInt(first).putInt(last);
    bytes.putInt(cleaned).putLong(salt).putLong(hashSeed);
    return bytes.putInt(checksum(bytes)).flip();
  }

  public static SegmentHeader decode(ByteBuffer bytes, String name) {
    if (bytes.remaining() < LENGTH) {
      throw new JournalDamagedException(name, bytes.remaining(), "the file ends in its header");
    }
    if (bytes.getLong(0) != MAGIC) {
      throw new JournalDamagedException(name, 0, "this is not a segment of a journal");
    }
    if (bytes.getInt(LENGTH - 4) != checksum(bytes)) {
      throw new JournalDamagedException(name, 0, "the checksum of the header is wrong");
    }
    if (bytes.getInt(8) != VERSION) {
      throw new NewerVersionException(
          name, Integer.toString(bytes.getInt(8)), Integer.toString(VERSION));
    }
    return new SegmentHeader(
        bytes.getInt(12),
        bytes.getInt(16),
        bytes.getInt(20),
        bytes.getInt(24),
        bytes.getLong(28),
        bytes.getLong(36));
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.slice(0, LENGTH - 4));
    return (int) crc.getValue();
  }
}
