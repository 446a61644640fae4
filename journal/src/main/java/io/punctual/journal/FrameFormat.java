package io.punctual.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How a frame begins, as docs/journal-format.md has it: what was written and forced together, and
 * is there as a whole or not at all. Its checksum covers the salt of its file and its place in it
 * too, so that bytes from elsewhere never pass for a frame.
 */
final class FrameFormat {
  static final int MAGIC = 0x504A_4652;
  static final int HEADER = 24;

  /** No frame holds more; the largest record has a payload of 64 MiB. */
  static final int MAX_LENGTH = 1 << 28;

  private FrameFormat() {}

  /**
   * Completes a frame whose records stand behind room for the header.
   *
   * @param frame from the header's first byte to the last record's last
   * @param unforced how many bytes of the file before the frame may not have been forced
   * @return the frame's checksum
   */
  static int seal(
      ByteBuffer frame, int records, long unforced, int previous, long salt, long offset) {
    int length = frame.limit() - HEADER;
    frame.putInt(0, MAGIC);
    frame.putInt(4, length);
    frame.putInt(8, records);
    frame.putInt(12, (int) unforced);
    frame.putInt(16, previous);
    int checksum = checksum(frame, salt, offset);
    frame.putInt(20, checksum);
    return checksum;
  }

  static int checksum(ByteBuffer frame, long salt, long offset) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(16).putLong(salt).putLong(offset).flip());
    crc.update(frame.slice(0, 20));
    crc.update(frame.slice(HEADER, frame.limit() - HEADER));
    return (int) crc.getValue();
  }
}
