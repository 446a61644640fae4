package io.punctual.journal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header of a frame: see docs/journal-format.md. A frame has the records that were written
 * together, and is valid as a whole or not at all. Its checksums cover the salt of the file and the
 * position of the frame, so that a copy of a frame in a payload, or at a different position, is
 * never valid. The header has its own checksum. So a search in damaged bytes can reject a payload
 * that looks like a header, before it uses the length in that payload.
 */
public final class FrameFormat {
  public static final int MAGIC = 0x504A_4652;
  public static final int HEADER = 28;

  /**
   * The maximum length of all records of a frame together, in bytes: 256 MiB. A single record
   * always fits, because a payload has at most 64 MiB.
   */
  public static final int MAX_LENGTH = 1 << 28;

  private FrameFormat() {}

  /**
   * Writes the header of a frame, in front of its records.
   *
   * @param frame the whole frame: room for the header, then the records
   * @param unforced how many bytes before the frame may still be unforced
   * @return the frame's checksum
   */
  public static int seal(
      ByteBuffer frame, int records, long unforced, int previous, long salt, long offset) {
    int length = frame.limit() - HEADER;
    frame.putInt(0, MAGIC);
    frame.putInt(4, length);
    frame.putInt(8, records);
    frame.putInt(12, (int) unforced);
    frame.putInt(16, previous);
    frame.putInt(20, headerChecksum(frame, salt, offset));
    int checksum = checksum(frame, salt, offset);
    frame.putInt(24, checksum);
    return checksum;
  }

  static boolean isHeader(ByteBuffer head, long salt, long offset) {
    return head.limit() >= HEADER
        && head.getInt(0) == MAGIC
        && head.getInt(4) > 0
        && head.getInt(4) <= MAX_LENGTH
        && head.getInt(20) == headerChecksum(head, salt, offset);
  }

  /** Whether the checksum of a frame is right. The header must be valid. */
  static boolean isIntact(ByteBuffer frame, long salt, long offset) {
    return checksumOf(frame) == checksum(frame, salt, offset);
  }

  /** Returns the checksum of a frame, which the next frame repeats. */
  static int checksumOf(ByteBuffer frame) {
    return frame.getInt(24);
  }

  private static int headerChecksum(ByteBuffer frame, long salt, long offset) {
    CRC32C crc = begin(salt, offset);
    crc.update(frame.slice(0, 20));
    return (int) crc.getValue();
  }

  private static int checksum(ByteBuffer frame, long salt, long offset) {
    CRC32C crc = begin(salt, offset);
    crc.update(frame.slice(0, 24));
    crc.update(frame.slice(HEADER, frame.limit() - HEADER));
    return (int) crc.getValue();
  }

  private static CRC32C begin(long salt, long offset) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(16).putLong(salt).putLong(offset).flip());
    return crc;
  }
}
