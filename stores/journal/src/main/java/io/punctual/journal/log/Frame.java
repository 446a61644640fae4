package io.punctual.journal.log;

import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.RecordBuffer;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.Queue;

/**
 * Records that are written together, and the confirmations that wait until the records are safe.
 */
public final class Frame {
  private final Segment segment;
  private final long base;
  private final RecordBuffer records;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Queue<Confirmation> waiting = new LinkedList<>();

  private final Arrivals arrivals = new Arrivals();

  /**
   * A callback that is called on the journal's thread once a frame is safe or the journal has
   * failed. If a method throws, for example for lack of memory, the journal calls {@link #failed}
   * later.
   */
  public interface Confirmation {
    /** The records are as safe as the option {@code fsync} demands. */
    void confirmed();

    /** The journal failed. The records may or may not be safe, now or later. */
    void failed(RuntimeException why);
  }

  /** Creates a frame that will be appended to a segment. */
  Frame(Segment segment, int expectedBytes) {
    this.segment = segment;
    this.base = segment.length();
    this.records = new RecordBuffer(FrameFormat.HEADER, expectedBytes);
  }

  Segment segment() {
    return segment;
  }

  /** The offset of the frame in its segment. */
  long base() {
    return base;
  }

  RecordBuffer records() {
    return records;
  }

  boolean isEmpty() {
    return records.records() == 0;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  /** Calls {@code confirmation} once the frame is safe or the journal has failed. */
  void await(Confirmation confirmation) {
    waiting.add(confirmation);
  }

  /** Confirms all confirmations in their order. A confirmation that throws stays the next. */
  void confirm() {
    for (Confirmation next = waiting.peek(); next != null; next = waiting.peek()) {
      next.confirmed();
      waiting.remove();
    }
  }

  /** Fails all confirmations in their order. A confirmation that throws stays the next. */
  void fail(RuntimeException why) {
    for (Confirmation next = waiting.peek(); next != null; next = waiting.peek()) {
      next.failed(why);
      waiting.remove();
    }
  }

  long nextLocation() {
    return Location.of(segment.file(), Math.toIntExact(base + records.size()));
  }

  boolean holds(long location) {
    int offset = Location.offset(location);
    return Location.file(location) == segment.file()
        && offset >= base
        && offset < base + records.size();
  }

  /** Returns a copy of a record in this frame. */
  ByteBuffer read(long location, int length) {
    byte[] record = new byte[length];
    records.written().get(Math.toIntExact(Location.offset(location) - base), record);
    return ByteBuffer.wrap(record);
  }
}
