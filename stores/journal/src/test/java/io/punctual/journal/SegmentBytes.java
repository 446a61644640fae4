package io.punctual.journal;

import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.SegmentHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The bytes of a segment for tests that damage it. Finds frames and seals changed frames again. */
final class SegmentBytes {
  private final byte[] bytes;

  SegmentBytes(byte[] bytes) {
    this.bytes = bytes.clone();
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /** Returns the offset of the first occurrence of a text. */
  int indexOf(String text) {
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
    if (at < 0) {
      throw new IllegalArgumentException("'" + text + "' is not in the segment");
    }
    return at;
  }

  /** Returns the offset of the frame that contains a text. */
  int frameOf(String text) {
    int at = indexOf(text);
    return frames().stream().filter(frame -> frame < at).reduce((a, b) -> b).orElseThrow();
  }

  /** Returns the offset of the first record in the frame at an offset. */
  static int firstRecord(int frame) {
    return frame + FrameFormat.HEADER;
  }

  SegmentBytes flip(int at) {
    bytes[at] ^= 0x10;
    return this;
  }

  SegmentBytes set(int at, int value) {
    bytes[at] = (byte) value;
    return this;
  }

  /** Makes the checksums of all frames right for their present bytes. */
  SegmentBytes seal() {
    ByteBuffer all = ByteBuffer.wrap(bytes);
    SegmentHeader header = SegmentHeader.decode(all.slice(0, SegmentHeader.LENGTH), "a segment");
    int checksum = header.seed();
    for (int at : frames()) {
      ByteBuffer frame = all.slice(at, FrameFormat.HEADER + all.getInt(at + 4));
      int records = frame.getInt(8);
      checksum = FrameFormat.seal(frame, records, frame.getInt(12), checksum, header.salt(), at);
    }
    return this;
  }

  private List<Integer> frames() {
    List<Integer> frames = new ArrayList<>();
    ByteBuffer all = ByteBuffer.wrap(bytes);
    int at = SegmentHeader.LENGTH;
    while (at < bytes.length) {
      frames.add(at);
      at += FrameFormat.HEADER + all.getInt(at + 4);
    }
    return frames;
  }
}
