package io.punctual.journal.log;

import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.RecordBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Records that are written and forced together, and the confirmations that wait for the force. */
public final class Frame {
  private final Segment segment;
  private final long base;
  private final boolean opensSegment;
  private final RecordBuffer records;
  private final Queue<Confirmation> waiting = new ArrayDeque<>();
  private final Arrivals arrivals = new Arrivals();

  /** Waits for a frame to be safe. Called on the journal's thread. */
  public interface Confirmation {
    /** The records are safe, as far as the journal was told to make them. */
    void confirmed();

    /** Nobody knows whether the records are, or will be. */
    void failed(RuntimeException why);
  }

  /** Creates a frame for the end of a segment. */
  Frame(Segment segment, boolean opensSegment, int expectedBytes) {
    this.segment = segment;
    this.base = segment.length();
    this.opensSegment = opensSegment;
    this.records = new RecordBuffer(FrameFormat.HEADER, expectedBytes);
  }

  Segment segment() {
    return segment;
  }

  /** Where in the segment the frame begins. */
  long base() {
    return base;
  }

  /** Whether the segment's file is made with this frame. */
  boolean opensSegment() {
    return opensSegment;
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

  /** Has {@code confirmation} told once the frame is safe. */
  void await(Confirmation confirmation) {
    waiting.add(confirmation);
  }

  /** Removes the next confirmation, or returns null. */
  @Nullable Confirmation next() {
    return waiting.poll();
  }

  /** Where the next record will be. */
  long nextLocation() {
    return Location.of(segment.file(), Math.toIntExact(base + records.size()));
  }

  boolean holds(long location) {
    int offset = Location.offset(location);
    return Location.file(location) == segment.file()
        && offset >= base
        && offset < base + records.size();
  }

  /** Reads a record of this frame. */
  ByteBuffer read(long location, int length) {
    byte[] record = new byte[length];
    records.written().get(Math.toIntExact(Location.offset(location) - base), record);
    return ByteBuffer.wrap(record);
  }
}
