package io.punctual.journal.log;

import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.SegmentHeader;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The end of the journal, to which records are added. They gather in a frame while the writer
 * writes and forces the previous frame. Reads return added records, even before they are on the
 * disk. For the journal's thread alone, except {@link #written}.
 */
public final class Log {
  /** A frame beyond this takes no more records. */
  private static final int FRAME_BYTES = 1 << 20;

  private final Segments segments;
  private final ManifestFile manifest;
  private final Writer writer;
  private final long segmentBytes;
  private final Preamble preamble;
  private final SecureRandom salts = new SecureRandom();

  private @Nullable Segment current;
  private @Nullable Frame open;
  private @Nullable Frame inFlight;

  /** The frame that is safe; its confirmations are running. */
  private @Nullable Frame confirming;

  private final Deque<Frame> closed = new ArrayDeque<>();
  private volatile @Nullable Frame written;
  private @Nullable RuntimeException failure;
  private long nextSequence;

  /** Not counted as a part of the segment, which may otherwise be full before its first record. */
  private int preambleBytes;

  /** The expected size of the next frame by the sizes before, so that its buffer need not grow. */
  private int expectedBytes;

  /** The receiver of frames; it has a single frame at a time. */
  @FunctionalInterface
  public interface Writer {
    void submit(Frame frame);
  }

  /**
   * Writes the records that each segment begins with, so that no earlier segment is needed for
   * them.
   */
  @FunctionalInterface
  public interface Preamble {
    void write(RecordBuffer into);
  }

  public Log(
      Segments segments,
      ManifestFile manifest,
      Writer writer,
      long segmentBytes,
      Preamble preamble) {
    this.segments = segments;
    this.manifest = manifest;
    this.writer = writer;
    this.segmentBytes = segmentBytes;
    this.preamble = preamble;
  }

  /** Sets the first sequence number to give. */
  public void nextSequence(long next) {
    nextSequence = next;
  }

  /** The lowest sequence number that was not given yet. */
  public long nextSequence() {
    return nextSequence;
  }

  public long newSequence() {
    return nextSequence++;
  }

  /** Where records are added; call {@link #added} after each. */
  public RecordBuffer records() {
    return open().records();
  }

  /** Where the next record will be. */
  public long nextLocation() {
    return open().nextLocation();
  }

  /** The number of the segment of the last record; the next record may begin a newer segment. */
  public int lastNumber() {
    Segment segment = current;
    if (segment == null) {
      throw new IllegalStateException("Nothing was written yet");
    }
    return segment.header().first();
  }

  /** The segment that the next record goes to. */
  public Segment segment() {
    return open().segment();
  }

  /** The messages that become claimable with the next record. */
  public Arrivals arrivals() {
    return open().arrivals();
  }

  /** Ends the frame if it is large enough, so that the next record begins a new frame. */
  public void added() {
    Frame frame = open;
    if (frame != null && frame.records().size() >= FRAME_BYTES) {
      close(frame);
    }
  }

  /** Reads a record, wherever it is by now. */
  public ByteBuffer read(long location, int length) {
    Frame frame = holding(location);
    return frame == null ? segments.read(location, length) : frame.read(location, length);
  }

  /** Whether a record may not have reached its file. */
  boolean isInMemory(long location) {
    return holding(location) != null;
  }

  private @Nullable Frame holding(long location) {
    if (open != null && open.holds(location)) {
      return open;
    }
    for (Frame frame : closed) {
      if (frame.holds(location)) {
        return frame;
      }
    }
    return inFlight != null && inFlight.holds(location) ? inFlight : null;
  }

  /** Confirms once everything that was added so far is safe: at once, if it is. */
  public void whenSafe(Frame.Confirmation confirmation) {
    Frame last = last();
    if (failure != null) {
      confirmation.failed(failure);
    } else if (last == null) {
      confirmation.confirmed();
    } else {
      last.await(confirmation);
    }
  }

  private @Nullable Frame last() {
    if (open != null && !open.isEmpty()) {
      return open;
    }
    return closed.isEmpty() ? inFlight : closed.peekLast();
  }

  /** Whether something was added that is not safe yet. */
  boolean isBusy() {
    return last() != null;
  }

  /** Hands the next frame to the writer, if it has none. */
  public void flush() {
    if (inFlight != null || failure != null) {
      return;
    }
    if (closed.isEmpty() && open != null && !open.isEmpty()) {
      close(open);
    }
    inFlight = closed.poll();
    if (inFlight != null) {
      writer.submit(inFlight);
    }
  }

  /** Notifies the log that the writer's frame is safe. */
  public void written(Frame frame) {
    written = frame;
  }

  /** Whether the writer has made a frame safe that {@link #confirm} has not seen. */
  public boolean hasWritten() {
    return written != null;
  }

  /** Confirms the frame that the writer has made safe; returns whether there was a frame. */
  public boolean confirm() {
    Frame frame = written;
    if (frame == null) {
      return false;
    }
    written = null;
    if (frame != inFlight) {
      // The journal failed while the writer had the frame, which was given up then.
      return false;
    }
    inFlight = null;
    confirming = frame;
    flush();
    frame.arrivals().arrive();
    for (Frame.Confirmation next = frame.next(); next != null; next = frame.next()) {
      next.confirmed();
    }
    confirming = null;
    return true;
  }

  /** Gives up everything that is not safe. Nothing may be added after that. */
  public void fail(RuntimeException why) {
    failure = why;
    List<@Nullable Frame> lost = new ArrayList<>();
    lost.add(confirming);
    lost.add(inFlight);
    lost.addAll(closed);
    lost.add(open);
    confirming = null;
    inFlight = null;
    open = null;
    closed.clear();
    lost.forEach(frame -> fail(frame, why));
  }

  private static void fail(@Nullable Frame frame, RuntimeException why) {
    for (Frame.Confirmation next = next(frame); next != null; next = next(frame)) {
      next.failed(why);
    }
  }

  private static Frame.@Nullable Confirmation next(@Nullable Frame frame) {
    return frame == null ? null : frame.next();
  }

  private Frame open() {
    Frame frame = open;
    if (frame == null) {
      frame = newFrame();
      open = frame;
    }
    return frame;
  }

  private Frame newFrame() {
    Segment segment = current;
    if (segment != null && segment.length() - preambleBytes < segmentBytes) {
      return new Frame(segment, false, expectedBytes);
    }
    if (segment != null) {
      segment.seal();
    }
    Segment added = newSegment();
    current = added;
    segments.add(added);
    Frame frame = new Frame(added, true, expectedBytes);
    preamble.write(frame.records());
    preambleBytes = frame.records().size();
    added.named(preambleBytes);
    return frame;
  }

  private Segment newSegment() {
    int file = manifest.newFile();
    long seed = manifest.hashSeed();
    return new Segment(new SegmentHeader(file, file, file, 0, salts.nextLong(), seed));
  }

  private void close(Frame frame) {
    int size = frame.records().size();
    expectedBytes = Math.min(FRAME_BYTES, Math.max(size + size / 8, expectedBytes / 2));
    frame.segment().length(frame.base() + size);
    closed.add(frame);
    open = null;
  }
}
