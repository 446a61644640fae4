package io.punctual.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Places of files that a {@link SimulatedDisk} can't read. Safe for use by many threads. */
final class BadPlaces {
  private final List<BadPlace> places = new ArrayList<>();

  /** Bytes of a file that the disk can't read, or the place at which the file seems to end. */
  private record BadPlace(String name, int from, int to, boolean isEnd) {}

  /** Lets each read of these bytes of a file fail, until {@link #mend}. */
  synchronized void fail(String name, int from, int to) {
    places.add(new BadPlace(name, from, to, false));
  }

  /** Lets reads of a file return fewer bytes, as if the file ended there, until {@link #mend}. */
  synchronized void cut(String name, int at) {
    places.add(new BadPlace(name, at, Integer.MAX_VALUE, true));
  }

  /** Makes every place readable again. */
  synchronized void mend() {
    places.clear();
  }

  /** Returns how many of these bytes can be read. */
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
