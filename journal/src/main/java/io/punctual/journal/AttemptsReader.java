package io.punctual.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads a file of {@link Attempts} that an earlier run left, as far as it is good. */
final class AttemptsReader {
  private static final int PORTION = 4096;

  private final FileWindow window;
  private long at;

  AttemptsReader(DiskFile file) throws IOException {
    window = new FileWindow(file);
  }

  /** Some thousand attempts, in the order in which they were written; none at the end. */
  List<Attempts.Attempt> next() throws IOException {
    List<Attempts.Attempt> portion = new ArrayList<>();
    while (portion.size() < PORTION && readBatch(portion)) {}
    return portion;
  }

  private boolean readBatch(List<Attempts.Attempt> into) throws IOException {
    ByteBuffer head = window.at(at, Attempts.HEADER);
    if (head.remaining() < Attempts.HEADER || head.getInt(0) != Attempts.MAGIC) {
      return false;
    }
    int length = head.getInt(4);
    int checksum = head.getInt(8);
    long begin = at + Attempts.HEADER;
    if (length < 0 || length > window.size() - begin) {
      return false;
    }
    ByteBuffer entries = window.at(begin, length);
    if (Attempts.checksum(entries) != checksum) {
      return false;
    }
    while (entries.remaining() >= Attempts.ENTRY) {
      into.add(
          new Attempts.Attempt(
              entries.getInt(),
              entries.getLong(),
              entries.getInt(),
              entries.getLong(),
              entries.getInt()));
    }
    at = begin + length;
    return true;
  }
}
