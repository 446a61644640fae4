package io.punctual.journal.log;

import io.punctual.journal.disk.CreateFailedException;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.ForceFailedException;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
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
import org.slf4j.LoggerFactory;

/**
 * The thread that writes and forces frames in their order. It writes a frame only when the previous
 * frame is as safe as the option {@code fsync} demands. After a failed force, the thread writes
 * nothing more.
 */
public final class LogWriter implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(LogWriter.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Disk disk;
  private final ManifestFile manifest;

  /** How many nanoseconds written bytes may stay unforced; 0 forces each frame. */
  private final long unforcedNanos;

  private final Space space;
  private final FrameListener listener;
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
    thread = Threads.create(this, name);
  }

  public void start() {
    thread.start();
  }

  /** Accepts a frame. The previous frame must have been written. */
  public void submit(Frame frame) {
    next = frame;
    LockSupport.unpark(thread);
  }

  /**
   * Sets whether the writer waits and tries again when the disk is full or a file can't be created;
   * false at first. If the writer does not wait, such a failure makes the journal fail.
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
        Frame frame = next;
        if (frame != null) {
          write(frame);
          next = null;
          listener.written(frame);
        } else if (closing) {
          sealLast();
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
    }
  }

  private void idle() throws IOException {
    if (written == forced) {
      LockSupport.park(this);
    } else if (mustForce()) {
      force();
    } else {
      LockSupport.parkNanos(this, unforcedNanos - (System.nanoTime() - lastForceNanos));
    }
  }

  private void write(Frame frame) throws IOException {
    boolean sealed = false;
    boolean waited = false;
    while (true) {
      try {
        if (frame.opensSegment()) {
          if (!sealed) {
            seal();
            sealed = true;
          }
          open(frame);
        } else {
          append(frame);
        }
        space.wrote(frame.records().size());
        if (waited) {
          space.obstacle("");
          log.info("The journal {} can be written again", disk.describe());
        }
        return;
      } catch (IOException e) {
        if (!waitsForRoom || !canRepeat(e, frame)) {
          throw e;
        }
        if (!waited) {
          waited = true;
          space.obstacle(String.valueOf(e.getMessage()));
          warn(e);
        }
        LockSupport.parkNanos(this, RETRY_NANOS);
      }
    }
  }

  /**
   * Whether a write can be repeated, because the disk is full, or a file could not be created. Any
   * other failure makes the journal fail.
   */
  private boolean canRepeat(IOException failure, Frame frame) {
    return !(failure instanceof ForceFailedException)
        && (failure instanceof CreateFailedException
            || space.isOut(failure, frame.records().size()));
  }

  private void warn(IOException failure) {
    log.warn(
        failure instanceof CreateFailedException
            ? "The journal {} can't create a file, and tries again; close files of the process, or"
                + " raise its limit of open files"
            : "The disk of the journal {} is full; waiting for free space",
        disk.describe(),
        failure);
  }

  private void append(Frame frame) throws IOException {
    Segment into = frame.segment();
    int sealed = put(frame, into.opened(), written - forced);
    checksum = sealed;
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
   * Creates the file of a segment with its first frame, forces the file, and adds the segment to
   * the manifest.
   */
  private void open(Frame frame) throws IOException {
    Segment opened = frame.segment();
    DiskFile file = disk.create(opened.name());
    boolean complete = false;
    try {
      file.write(opened.header().encode(), 0);
      checksum = opened.header().seed();
      checksum = put(frame, file, 0);
      file.force();
      disk.force();
      manifest.change(
          entries -> {
            entries.add(new Manifest.Entry(opened.header(), 0, 0));
            return entries;
          });
      complete = true;
    } finally {
      if (!complete) {
        file.close();
      }
    }
    opened.opened(file);
    segment = opened;
    written = frame.base() + frame.records().size();
    forced = written;
  }

  /** Ends the current segment, if any, with a footer, and records its length in the manifest. */
  private void seal() throws IOException {
    Segment ended = segment;
    if (ended == null) {
      return;
    }
    RecordBuffer footer = new RecordBuffer(FrameFormat.HEADER);
    footer.footer();
    ByteBuffer bytes = footer.written();
    int sealed =
        FrameFormat.seal(bytes, 1, written - forced, checksum, ended.header().salt(), written);
    ended.opened().write(bytes, written);
    ended.opened().force();
    long length = written + footer.size();
    manifest.change(entries -> sealed(entries, ended, length, sealed));
    segment = null;
  }

  private static List<Manifest.Entry> sealed(
      List<Manifest.Entry> entries, Segment ended, long length, int checksum) {
    entries.replaceAll(
        entry ->
            entry.header().file() == ended.file()
                ? new Manifest.Entry(ended.header(), length, checksum)
                : entry);
    return entries;
  }

  private void sealLast() throws IOException {
    seal();
  }
}
