package io.punctual.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The parts of files that a {@link SimulatedDisk} can't read. Safe for use by many threads. */
final class BadPlaces {
  private final List<BadPlace> places = new ArrayList<>();

  /**
   * The bytes from {@code from} to {@code to} of a file, which the disk can't read. If {@code
   * isEnd} is true, the file seems to end at {@code from} instead.
   */
  private record BadPlace(String name, int from, int to, boolean isEnd) {}

  /** Makes each read of these bytes fail until {@link #mend}. */
  synchronized void fail(String name, int from, int to) {
    places.add(new BadPlace(name, from, to, false));
  }

  /** Makes reads of a file end at a position, as if the file ended there, until {@link #mend}. */
  synchronized void cut(String name, int at) {
    places.add(new BadPlace(name, at, Integer.MAX_VALUE, true));
  }

  /** Makes all parts readable again. */
  synchronized void mend() {
    places.clear();
  }

  /**
   * Returns the number of bytes that a read from {@code from} to {@code to} gets. Throws if a byte
   * in the range is unreadable.
   */
  synchronized int readable(String name, int from, int to) throws IOException {
    int end = to;
    for (BadPlace place : places) {
      if (place.name.equals(name) && place.from < to && place.to > from) {
        if (!place.isEnd) {
          throw new IOException("Input/output error");
        }
        end = Math.min(end, Math.max(from, place.from));
      }
    }
    return end - from;
  }
}
