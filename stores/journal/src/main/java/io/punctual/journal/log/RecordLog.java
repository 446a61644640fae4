package io.punctual.journal.log;

import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.SegmentHeader;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Deque;
import java.util.LinkedList;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The end of the journal, to which records are appended. New records are collected in a frame while
 * the writer writes and forces the previous frame. A frame is safe once it is written, and forced
 * if the option {@code fsync} demands it. Reads also return records that are not on the disk yet.
 * For the journal's thread alone, except {@link #written}.
 */
public final class RecordLog {
  /** The size in bytes at which a frame is closed and a new frame begins. */
  private static final int FRAME_BYTES = 1 << 20;

  private static final long MOST_BYTES = 3L << 29;

  private final Segments segments;
  private final ManifestFile manifest;
  private final Writer writer;
  private final long segmentBytes;

  /** The length in bytes at which a segment ends even if the next segment has no file yet. */
  private final long mostBytes;

  private final Preamble preamble;
  private final SecureRandom salts = new SecureRandom();

  private @Nullable Segment current;

  /** The segment that follows the current segment; null until the writer was asked for its file. */
  private @Nullable Segment next;

  private @Nullable Frame open;
  private @Nullable Frame inFlight;

  /** The safe frame whose confirmations are running; null at other times. */
  private @Nullable Frame confirming;

  @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
  private final Deque<Frame> closed = new LinkedList<>();

  private volatile @Nullable Frame written;
  private @Nullable RuntimeException failure;
  private long nextSequence;

  /**
   * The length in bytes of the current segment's {@link Preamble}. It does not count towards the
   * size of the segment, because a large preamble alone could fill the segment.
   */
  private int preambleBytes;

  /**
   * The expected size of the next frame in bytes, from the sizes of earlier frames. The frame's
   * buffer then rarely has to grow.
   */
  private int expectedBytes;

  /** The receiver of frames. */
  @FunctionalInterface
  public interface Writer {
    /** Writes a frame. The log submits a frame only when the previous frame is safe. */
    void submit(Frame frame);

    /**
     * Creates the file of a segment that the log will begin. The log begins it once it {@linkplain
     * Segment#isOpened has its file}, so that no frame waits because no file can be created.
     */
    default void prepare(Segment segment) {}
  }

  /**
   * Writes the records that each segment begins with. They repeat facts of earlier segments, so
   * that compaction can delete the earlier segments.
   */
  @FunctionalInterface
  public interface Preamble {
    void write(RecordBuffer into);
  }

  /** Creates a log on a disk that does not limit the size of files. */
  public RecordLog(
      Segments segments,
      ManifestFile manifest,
      Writer writer,
      long segmentBytes,
      Preamble preamble) {
    this(segments, manifest, writer, segmentBytes, Long.MAX_VALUE, preamble);
  }

  /**
   * Creates a log.
   *
   * @param segmentBytes the size at which a segment ends
   * @param fileBytes the maximum size of a file
   */
  public RecordLog(
      Segments segments,
      ManifestFile manifest,
      Writer writer,
      long segmentBytes,
      long fileBytes,
      Preamble preamble) {
    this.segments = segments;
    this.manifest = manifest;
    this.writer = writer;
    this.segmentBytes = segmentBytes;
    // The rest is for the last frame.
    mostBytes = Math.min(MOST_BYTES, fileBytes / 4 * 3);
    this.preamble = preamble;
  }

  /** Sets the first sequence number to assign. */
  public void nextSequence(long next) {
    nextSequence = next;
  }

  /** The lowest sequence number that was not assigned yet. */
  public long nextSequence() {
    return nextSequence;
  }

  public long newSequence() {
    return nextSequence++;
  }

  /** Returns the buffer to which records are added. Call {@link #added} after each record. */
  public RecordBuffer records() {
    return open().records();
  }

  public long nextLocation() {
    return open().nextLocation();
  }

  /** The number of the last record's segment. The next record may begin a new segment. */
  public int lastNumber() {
    Segment segment = current;
    if (segment == null) {
      throw new IllegalStateException("Nothing was written yet");
    }
    return segment.header().first();
  }

  public Segment segment() {
    return open().segment();
  }

  /** The messages that become claimable once the frame of the next record is safe. */
  public Arrivals arrivals() {
    return open().arrivals();
  }

  /**
   * Closes the frame if it has reached its maximum size, so that the next record begins a new
   * frame.
   */
  public void added() {
    Frame frame = open;
    if (frame != null && frame.records().size() >= FRAME_BYTES) {
      close(frame);
    }
  }

  /** Reads a record from a frame in memory or from its file. */
  public ByteBuffer read(long location, int length) {
    Frame frame = holding(location);
    return frame == null ? segments.read(location, length) : frame.read(location, length);
  }

  /** Whether the record at this location may still be in memory only. */
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

  /**
   * Calls {@code confirmation} once all records that were added so far are safe; immediately if
   * they are safe already.
   */
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

  /** Whether some records are not safe yet. */
  boolean isBusy() {
    return last() != null;
  }

  /** Passes the next frame to the writer, if the writer is idle. */
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

  /** Notifies the log that the writer's frame is safe. Called by the writer's thread. */
  public void written(Frame frame) {
    written = frame;
  }

  /** Whether the writer has made a frame safe that {@link #confirm} has not processed. */
  public boolean hasWritten() {
    return written != null;
  }

  /**
   * Runs the confirmations of the frame that the writer has made safe. Returns false if there was
   * no such frame, or the journal has failed.
   */
  public boolean confirm() {
    Frame frame = written;
    if (frame == null) {
      return false;
    }
    written = null;
    if (frame != inFlight) {
      // The journal failed while the writer had the frame, and the confirmations failed then.
      return false;
    }
    inFlight = null;
    confirming = frame;
    flush();
    frame.arrivals().arrive();
    frame.confirm();
    confirming = null;
    return true;
  }

  /**
   * Fails the confirmations of all frames that were not confirmed. No records may be added after
   * that. If a confirmation throws, another call fails it and the confirmations after it.
   */
  public void fail(RuntimeException why) {
    failure = why;
    fail(confirming, why);
    confirming = null;
    fail(inFlight, why);
    inFlight = null;
    while (!closed.isEmpty()) {
      fail(closed.peek(), why);
      closed.remove();
    }
    fail(open, why);
    open = null;
  }

  private static void fail(@Nullable Frame frame, RuntimeException why) {
    if (frame != null) {
      frame.fail(why);
    }
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
    if (segment != null && !mustEnd(segment)) {
      return new Frame(segment, expectedBytes);
    }
    if (segment != null) {
      segment.seal();
    }
    Segment added = next == null ? newSegment() : next;
    next = null;
    current = added;
    segments.add(added);
    Frame frame = new Frame(added, expectedBytes);
    preamble.write(frame.records());
    preambleBytes = frame.records().size();
    added.named(preambleBytes);
    return frame;
  }

  /**
   * Whether the next frame begins another segment. If the segment is large, but the next segment
   * has no file yet, the segment goes on to grow.
   */
  private boolean mustEnd(Segment segment) {
    if (segment.isSealed() || segment.length() - preambleBytes < segmentBytes) {
      return segment.isSealed();
    }
    return isNextCreated() || segment.length() >= mostBytes;
  }

  /** Whether the next segment has its file. If it has not, the writer is asked to create it. */
  private boolean isNextCreated() {
    Segment following = next;
    if (following == null) {
      following = newSegment();
      next = following;
      writer.prepare(following);
    }
    return following.isOpened();
  }

  /**
   * Ends the current segment before it is full, if {@code condition} holds for it, so that
   * compaction can free its unneeded bytes. Only asks for the next segment if that has no file yet,
   * so that no frame waits for it; a later call then ends the current one.
   *
   * @param condition receives the segment, and the number of bytes that the beginning of another
   *     segment takes
   * @return whether the segment was ended
   */
  public boolean end(BiPredicate<Segment, Integer> condition) {
    Segment segment = current;
    if (segment == null || !condition.test(segment, preambleBytes) || !isNextCreated()) {
      return false;
    }
    Frame frame = open;
    if (frame != null && !frame.isEmpty()) {
      close(frame);
    }
    segment.seal();
    open = newFrame();
    return true;
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
