package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.CleanUp;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.AttemptLogReader;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.JournalThread;
import io.punctual.journal.log.LogWriter;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.log.Threads;
import io.punctual.journal.log.Tokens;
import io.punctual.journal.partition.Journal;
import io.punctual.journal.partition.LeaseClosing;
import io.punctual.journal.partition.Partitions;
import io.punctual.journal.partition.ReplyThread;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.journal.upkeep.Compactor;
import io.punctual.journal.upkeep.HintFiles;
import io.punctual.journal.upkeep.Recovery;
import io.punctual.journal.upkeep.RepairJob;
import io.punctual.journal.upkeep.SmallSegments;
import io.punctual.journal.upkeep.StartFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A journal that this process has opened. It creates the parts of the journal, restores the state
 * from the files, and closes the parts in order. Safe for use by many threads once it is open.
 */
final class OpenJournal {
  private static final Logger log = Logs.of(OpenJournal.class);

  /** How long a callback may keep the thread for replies before the close answers calls itself. */
  private static final Duration STUCK = Duration.ofSeconds(1);

  private final Folder folder;
  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments = new Segments();
  private final JournalThread thread;
  private final LogWriter writer;
  private final ReplyThread replies;
  private final AttemptLog attempts;
  private final Journal journal;
  private final Compactor compactor;
  private final long segmentBytes;
  private final Duration closeTime;
  private final FailureLog failures;
  private boolean closed;

  static OpenJournal open(Folder folder, JournalOptions options) throws IOException {
    boolean complete = false;
    try {
      OpenJournal open = new OpenJournal(folder, options);
      open.start();
      complete = true;
      return open;
    } catch (JournalDamagedException e) {
      throw e.with(folder.disk().describe(), RepairJob.remedy(folder.disk()));
    } finally {
      if (!complete) {
        letGo(folder);
      }
    }
  }

  private void start() throws IOException {
    try {
      attempts.begin();
      recover();
    } catch (Throwable e) {
      try (CleanUp abandoned = this::abandon) {
        throw e;
      }
    }
  }

  /**
   * Stops the parts after a failed open, and deletes the file of attempts that the open created.
   */
  private void abandon() {
    Threads.uninterrupted(
        () -> {
          stopThreads();
          replies.stop();
          closeFiles();
          attempts.drop(attempts.name());
        });
  }

  private OpenJournal(Folder folder, JournalOptions options) throws IOException {
    this.folder = folder;
    disk = folder.disk();
    failures = new FailureLog(disk);
    manifest = new ManifestFile(disk, StartFiles.manifest(disk));
    thread = new JournalThread("punctual-journal", this::failed);
    Space space = new Space(disk, options.minFreeBytes());
    LogWriter.FrameListener listener = new WriterListener();
    writer =
        new LogWriter(
            disk,
            manifest,
            options.fsync().unforcedNanos(),
            space,
            "punctual-journal-writer",
            listener);
    replies = new ReplyThread("punctual-journal-replies");
    // Half of the maximum size of a file, because the last frame makes a segment larger.
    segmentBytes = Math.min(options.segmentBytes(), disk.mostFileBytes() / 2);
    attempts = new AttemptLog(disk, manifest, segmentBytes / 2);
    RecordLog records =
        new RecordLog(
            segments, manifest, writer, segmentBytes, disk.mostFileBytes(), this::preamble);
    EngineTime now = EngineTime.of(options.clock().instant());
    Partitions partitions =
        new Partitions(manifest.manifest().hashSeed(), records, segments, attempts, now.millis());
    Tokens tokens = new Tokens(records);
    journal = new Journal(thread, replies, options.clock(), records, tokens, partitions, space);
    closeTime = options.closeTime();
    compactor = new Compactor(options.compactionPause(), journal, this::compaction, this::hints);
  }

  Compaction compaction(Compaction.Pace pace) {
    return new Compaction(
        disk, manifest, segments, journal, writer::forceWritten, segmentBytes, pace);
  }

  HintFiles hints(Compaction.Pace pace) {
    return new HintFiles(disk, manifest, journal.space(), pace);
  }

  Journal journal() {
    return journal;
  }

  /** Fails the journal, and logs the cause. Called on the journal's thread. */
  private void failed(Throwable cause) {
    journal.fail(cause);
    failures.log(cause);
  }

  private void recover() throws IOException {
    List<String> earlierAttempts =
        disk.list().stream()
            .filter(name -> FileNames.isAttempts(name) && !name.equals(attempts.name()))
            .toList();
    Recovery recovery = new Recovery(disk, manifest, segments, journal.partitions());
    recovery.readSegments();
    journal.log().nextSequence(recovery.nextSequence());
    journal.tokens().start(recovery.tokenCeiling(), journal.now().micros());
    List<Segment> unneeded = recovery.unneeded();
    journal.log().records();
    replies.start();
    writer.start();
    thread.start(journal.log());
    opened(journal.lookInside(() -> null));
    journal.tokens().started();
    recount(earlierAttempts);
    manifest.change(
        entries -> {
          entries.removeIf(one -> unneeded.stream().anyMatch(s -> s.file() == one.header().file()));
          return entries;
        });
    opened(journal.lookInside(() -> drop(unneeded)));
    StartFiles.deleteLeftovers(disk, manifest.manifest(), recovery.hints(), attempts.name());
    SmallSegments.merge(manifest, this::compaction);
    writer.waitForRoom(true);
    compactor.start();
  }

  /**
   * Appends the attempts that earlier runs of the process counted in these files to the journal, in
   * portions, and waits for each portion. A run deletes its file once it has ended all its leases.
   */
  private void recount(List<String> files) throws IOException {
    for (String name : files) {
      try (DiskFile file = disk.open(name)) {
        AttemptLogReader reader = new AttemptLogReader(file, name);
        List<AttemptLog.Attempt> portion = reader.next();
        while (!portion.isEmpty()) {
          List<AttemptLog.Attempt> next = portion;
          opened(journal.lookInside(() -> journal.partitions().recount(next)));
          portion = reader.next();
        }
      }
    }
  }

  private boolean drop(List<Segment> unneeded) {
    for (Segment segment : unneeded) {
      segments.remove(segment);
      try {
        segment.opened().close();
      } catch (IOException e) {
        log.warn("{} could not be closed", segment.name(), e);
      }
    }
    return true;
  }

  private void preamble(RecordBuffer into) {
    into.marks(journal.log().nextSequence(), journal.tokens().ceiling());
    journal.partitions().describe(into);
  }

  /**
   * Closes the journal; does nothing if it was closed before. Waits for a bounded time, so that a
   * disk that hangs does not delay the end of the process. If the time runs out, the threads
   * continue in the background, and keep the folder locked until the disk responds.
   */
  void close() {
    close(Thread::start);
  }

  /**
   * Closes the journal as {@link #close()} does.
   *
   * @param start starts the thread that closes the journal
   */
  synchronized void close(Consumer<Thread> start) {
    if (closed) {
      return;
    }
    closed = true;
    replies.leaveToOthers();
    // A separate thread closes the journal, because an interrupt of the calling thread would close
    // the files in the middle of a write.
    Thread closing = new Thread(this::closeAll, "punctual-journal-closing");
    closing.setDaemon(true);
    try {
      start.accept(closing);
    } catch (OutOfMemoryError e) {
      // The system has no more threads.
      Threads.uninterrupted(this::closeAll);
      return;
    }
    if (!Threads.join(closing, closeTime)) {
      thread.fail(new PunctualException("the disk did not answer while it was closed"));
      log.error(
          "The journal {} did not close within {} s, since the disk does not answer; the next start"
              + " repairs that",
          disk.describe(),
          closeTime.toSeconds());
    }
  }

  private void closeAll() {
    try {
      stopAll();
      Throwable failure = thread.failure();
      if (failure != null) {
        failures.log(failure);
      }
    } finally {
      letGo(folder);
      replies.leaveToOthersIfStuck(STUCK);
      replies.stop();
    }
  }

  /** Stops the threads and closes the files, each even if an earlier step throws. */
  private void stopAll() {
    boolean clean = false;
    try {
      writer.waitForRoom(false);
      compactor.close();
      clean = isEveryLeaseEnded();
    } finally {
      stopThreads();
      try {
        deleteAttempts(clean);
      } finally {
        closeFiles();
      }
    }
  }

  private void stopThreads() {
    try {
      thread.stop();
    } finally {
      writer.close();
    }
  }

  private void deleteAttempts(boolean clean) {
    try {
      if (clean) {
        attempts.delete();
        disk.force();
      }
    } catch (IOException e) {
      warnOfUncleanClose(e);
    }
  }

  /** Ends the leases. Returns false if that failed; the file of attempts must then be kept. */
  private boolean isEveryLeaseEnded() {
    try {
      return await(LeaseClosing.endAll(journal));
    } catch (RuntimeException e) {
      warnOfUncleanClose(e);
      return false;
    }
  }

  private void warnOfUncleanClose(Exception why) {
    log.warn(
        "The journal {} was not closed cleanly; the next start repairs that", disk.describe(), why);
  }

  private void closeFiles() {
    attempts.close();
    for (Segment segment : segments.inOrder()) {
      try {
        if (segment.isOpened()) {
          segment.opened().close();
        }
      } catch (IOException e) {
        log.warn("{} could not be closed", segment.name(), e);
      }
    }
  }

  private static void letGo(Folder folder) {
    try {
      folder.ownership().close();
    } catch (Exception e) {
      log.warn("The journal {} could not be unlocked", folder.disk().describe(), e);
    }
  }

  /** Waits for a part of the opening, and throws a failure of the disk as an IOException. */
  static <T extends @Nullable Object> void opened(CompletableFuture<T> part) throws IOException {
    try {
      part.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the thread was interrupted");
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof PunctualException && cause.getCause() instanceof IOException disk) {
        throw disk;
      }
      throw cause instanceof RuntimeException known
          ? known
          : new PunctualException("The journal could not be opened", cause);
    }
  }

  /**
   * Waits for a part of the close. Ignores interrupts, because the close must complete all its
   * parts.
   */
  private static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new PunctualException("The journal could not be closed", e.getCause());
    }
  }

  private final class WriterListener implements LogWriter.FrameListener {
    @Override
    public void written(Frame frame) {
      journal.log().written(frame);
      thread.wake();
    }

    @Override
    public void failed(Throwable cause) {
      thread.fail(cause);
      failures.log(cause);
    }
  }
}
