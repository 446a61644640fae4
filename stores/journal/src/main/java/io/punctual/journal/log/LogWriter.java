package io.punctual.journal.log;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileFailures;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The thread that writes and forces frames in their order. It writes a frame only when the previous
 * frame is as safe as the option {@code fsync} demands. After a failed force, the thread writes
 * nothing more.
 */
public final class LogWriter implements Runnable, RecordLog.Writer {
  private static final Logger log = Logs.of(LogWriter.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Disk disk;
  private final ManifestFile manifest;

  /** How many nanoseconds written bytes may stay unforced; 0 forces each frame. */
  private final long unforcedNanos;

  private final Space space;
  private final FrameListener listener;
  private final NextSegment following;
  private final Thread thread;

  private volatile @Nullable Frame next;

  private volatile boolean closing;
  private volatile boolean ended;
  private volatile boolean waitsForRoom;

  /** The results of {@link #forceWritten} that wait for a force. */
  private final Queue<CompletableFuture<Boolean>> forces = new ConcurrentLinkedQueue<>();

  /** The segment to which the thread writes; null before the first segment. */
  private @Nullable Segment segment;

  private int checksum;
  private long written;
  private long forced;
  private long lastForceNanos = System.nanoTime();

  /** Receives the results of frames, on the writer's thread. */
  public interface FrameListener {
    void written(Frame frame);

    /**
     * The thread has failed, and writes nothing more. Must not throw, and must not allocate before
     * the journal has failed, because the cause may be a lack of memory.
     */
    void failed(Throwable cause);
  }

  public LogWriter(
      Disk disk,
      ManifestFile manifest,
      long unforcedNanos,
      Space space,
      String name,
      FrameListener listener) {
    this.disk = disk;
    this.manifest = manifest;
    this.unforcedNanos = unforcedNanos;
    this.space = space;
    this.listener = listener;
    following = new NextSegment(disk, manifest);
    thread = Threads.create(this, name);
  }

  public void start() {
    thread.start();
  }

  /** Accepts a frame. The previous frame must have been written. */
  @Override
  public void submit(Frame frame) {
    next = frame;
    LockSupport.unpark(thread);
  }

  @Override
  public void prepare(Segment segment) {
    following.ask(segment);
    LockSupport.unpark(thread);
  }

  /**
   * Sets whether the writer waits and tries again after a failure that may pass, such as a full
   * disk or too many open files; false at first. If the writer does not wait, such a failure makes
   * the journal fail.
   */
  public void waitForRoom(boolean wait) {
    waitsForRoom = wait;
  }

  /**
   * Forces everything that was written so far, whatever the option {@code fsync} is. The result is
   * false if the thread has ended, or failed before the force.
   */
  public CompletableFuture<Boolean> forceWritten() {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    forces.add(done);
    LockSupport.unpark(thread);
    if (ended) {
      failForces();
    }
    return done;
  }

  private void forceIfAsked() throws IOException {
    while (!forces.isEmpty()) {
      if (written > forced) {
        force();
      }
      CompletableFuture<Boolean> done = forces.poll();
      if (done != null) {
        done.complete(true);
      }
    }
  }

  /** Ends the waiting forces. Allocates nothing, because the failure may be a lack of memory. */
  private void failForces() {
    for (var next = forces.poll(); next != null; next = forces.poll()) {
      next.complete(false);
    }
  }

  /**
   * Ends the segment and the thread after the submitted frames were written, and waits for that.
   */
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
  }

  @Override
  public void run() {
    try {
      while (true) {
        forceIfAsked();
        prepareIfAsked();
        Frame frame = next;
        if (frame != null) {
          write(frame);
          next = null;
          listener.written(frame);
        } else if (closing) {
          end();
          return;
        } else {
          idle();
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      listener.failed(e);
    } finally {
      ended = true;
      failForces();
      following.close();
    }
  }

  private void idle() throws IOException {
    if (written != forced && mustForce()) {
      force();
    } else if (following.isMissing()) {
      LockSupport.parkNanos(this, RETRY_NANOS);
    } else if (written == forced) {
      LockSupport.park(this);
    } else {
      LockSupport.parkNanos(this, unforcedNanos - (System.nanoTime() - lastForceNanos));
    }
  }

  /**
   * Tries to create the file of the next segment. Until that succeeds, the journal refuses
   * schedules, and the current segment takes all other changes. The journal needs no such file
   * while it closes.
   */
  private void prepareIfAsked() throws IOException {
    if (following.isMissing() && waitsForRoom) {
      try {
        following.create();
        resumed();
      } catch (IOException e) {
        waitAfter(e);
      }
    }
  }

  private void write(Frame frame) throws IOException {
    boolean complete = false;
    while (!complete) {
      try {
        if (frame.segment() != segment) {
          rollOver(frame.segment());
        }
        append(frame);
        complete = true;
      } catch (IOException e) {
        waitAfter(e);
        LockSupport.parkNanos(this, RETRY_NANOS);
      }
    }
    space.wrote(frame.records().size());
    if (!following.isMissing()) {
      resumed();
    }
  }

  /** Reports why the thread waits before it tries again; throws if it must not try again. */
  private void waitAfter(IOException failure) throws IOException {
    if (!waitsForRoom || !FileFailures.mayPass(failure)) {
      throw failure;
    }
    if (space.obstacle().isEmpty()) {
      space.obstacle(FileFailures.description(failure));
      log.warn(
          failure instanceof CreateFailedException
              ? "The journal {} can't create a file, and tries again; free some space or inodes on"
                  + " its disk, close files of the process, or raise its limit of open files"
              : "The journal {} can't be written, and tries again until it can; free some space if"
                  + " its disk, or a quota on it, is full",
          disk.describe(),
          failure);
    }
  }

  private void resumed() {
    if (!space.obstacle().isEmpty()) {
      space.obstacle("");
      log.info("The journal {} can be written again", disk.describe());
    }
  }

  private void append(Frame frame) throws IOException {
    DiskFile file = frame.segment().opened();
    file.check();
    checksum = put(frame, file, written - forced);
    written = frame.base() + frame.records().size();
    if (mustForce()) {
      force();
    }
  }

  private boolean mustForce() {
    return System.nanoTime() - lastForceNanos >= unforcedNanos;
  }

  private void force() throws IOException {
    Segment current = segment;
    if (current != null) {
      current.opened().force();
    }
    forced = written;
    lastForceNanos = System.nanoTime();
  }

  private int put(Frame frame, DiskFile file, long unforced) throws IOException {
    ByteBuffer bytes = frame.records().written();
    int sealed =
        FrameFormat.seal(
            bytes,
            frame.records().records(),
            unforced,
            checksum,
            frame.segment().header().salt(),
            frame.base());
    file.write(bytes, frame.base());
    return sealed;
  }

  /**
   * Ends the current segment, if there is one, and begins another. The manifest changes once, so
   * that at each moment its last segment is open, and has all confirmed frames.
   */
  private void rollOver(Segment begun) throws IOException {
    following.create(begun);
    Manifest.Entry ended = writeFooter();
    manifest.change(
        entries -> {
          replace(entries, ended);
          entries.add(new Manifest.Entry(begun.header(), 0, 0));
          return entries;
        });
    if (segment != null) {
      segment.opened().endWrites();
    }
    segment = begun;
    following.begun();
    checksum = begun.header().seed();
    written = SegmentHeader.LENGTH;
    forced = written;
  }

  /** Ends the current segment, if any, with a footer, and returns its entry for the manifest. */
  private Manifest.@Nullable Entry writeFooter() throws IOException {
    Segment ended = segment;
    if (ended == null) {
      return null;
    }
    RecordBuffer footer = new RecordBuffer(FrameFormat.HEADER);
    footer.footer();
    ByteBuffer bytes = footer.written();
    int sealed =
        FrameFormat.seal(bytes, 1, written - forced, checksum, ended.header().salt(), written);
    ended.opened().check();
    ended.opened().write(bytes, written);
    ended.opened().force();
    return new Manifest.Entry(ended.header(), written + footer.size(), sealed);
  }

  private static void replace(List<Manifest.Entry> entries, Manifest.@Nullable Entry ended) {
    if (ended != null) {
      entries.replaceAll(entry -> entry.header().file() == ended.header().file() ? ended : entry);
    }
  }

  private void end() throws IOException {
    Manifest.Entry ended = writeFooter();
    if (ended != null) {
      manifest.change(
          entries -> {
            replace(entries, ended);
            return entries;
          });
    }
    segment = null;
    following.delete();
  }
}
