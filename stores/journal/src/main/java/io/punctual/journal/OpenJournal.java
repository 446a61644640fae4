package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.log.Attempts;
import io.punctual.journal.log.AttemptsReader;
import io.punctual.journal.log.Engine;
import io.punctual.journal.log.Frame;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.LogWriter;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import io.punctual.journal.log.Threads;
import io.punctual.journal.log.Tokens;
import io.punctual.journal.partition.Journal;
import io.punctual.journal.partition.LeaseClosing;
import io.punctual.journal.partition.PartitionState;
import io.punctual.journal.partition.Partitions;
import io.punctual.journal.partition.Replies;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.upkeep.Compaction;
import io.punctual.journal.upkeep.Compactor;
import io.punctual.journal.upkeep.Hints;
import io.punctual.journal.upkeep.Recovery;
import io.punctual.journal.upkeep.RepairJob;
import io.punctual.journal.upkeep.UnnamedSegments;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A journal from its opening to its end: puts the parts together, has the state brought back, and
 * takes everything down in order. Safe for use by many threads once it is open.
 */
final class OpenJournal {
  private static final Logger log = LoggerFactory.getLogger(OpenJournal.class);

  private final Folder folder;
  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments = new Segments();
  private final Engine engine;
  private final LogWriter writer;
  private final Replies replies;
  private final Attempts attempts;
  private final Journal journal;
  private final Compactor compactor;
  private final long segmentBytes;
  private final Duration closeTime;
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
    boolean complete = false;
    try {
      attempts.begin();
      recover();
      complete = true;
    } finally {
      if (!complete) {
        abandon();
      }
    }
  }

  /** Leaves the folder as an open that failed found it, as far as it still can. */
  private void abandon() {
    boolean interrupted = Thread.interrupted();
    engine.stop();
    writer.close();
    replies.stop();
    closeFiles();
    attempts.drop(attempts.name());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private OpenJournal(Folder folder, JournalOptions options) throws IOException {
    this.folder = folder;
    disk = folder.disk();
    manifest = new ManifestFile(disk, manifest());
    engine = new Engine("punctual-journal", this::broke);
    Space space = new Space(disk, options.minFreeBytes());
    LogWriter.Listener listener = new WriterListener();
    writer =
        new LogWriter(
            disk,
            manifest,
            options.fsync().unforcedNanos(),
            space,
            "punctual-journal-writer",
            listener);
    replies = new Replies("punctual-journal-replies");
    attempts = new Attempts(disk, manifest, options.segmentBytes() / 2);
    Log records =
        new Log(segments, manifest, writer::submit, options.segmentBytes(), this::preamble);
    EngineTime now = EngineTime.of(options.clock().instant());
    Partitions partitions =
        new Partitions(manifest.manifest().hashSeed(), records, segments, attempts, now.millis());
    Tokens tokens = new Tokens(records);
    journal = new Journal(engine, replies, options.clock(), records, tokens, partitions, space);
    segmentBytes = options.segmentBytes();
    closeTime = options.closeTime();
    compactor = new Compactor(options.compactionPause(), journal, this::compaction, this::hints);
  }

  Compaction compaction(Compaction.Pace pace) {
    return new Compaction(
        disk, manifest, segments, journal, writer::forceWritten, segmentBytes, pace);
  }

  Hints hints(Compaction.Pace pace) {
    return new Hints(disk, manifest, journal.space(), pace);
  }

  Journal journal() {
    return journal;
  }

  /** Ends the journal, because its state in memory may be half changed. */
  private void broke(Throwable trouble) {
    log.error("The journal {} broke down, and closes", disk.describe(), trouble);
    journal.fail(trouble);
  }

  private Manifest manifest() throws IOException {
    List<String> files = disk.list();
    if (files.contains(FileNames.MANIFEST)) {
      Manifest read = Manifest.read(disk);
      UnnamedSegments unnamed = new UnnamedSegments(disk, read);
      List<String> newer = unnamed.newerThanManifest();
      if (!newer.isEmpty()) {
        throw UnnamedSegments.outdated(newer);
      }
      // A file that will be kept aside must not be overwritten before.
      int next = FileNames.highest(unnamed.damaged()) + 1;
      return read.with(Math.max(read.nextFile(), next), read.segments());
    }
    if (files.stream().anyMatch(FileNames::isSegment)) {
      throw new JournalDamagedException(
          FileNames.MANIFEST, 0, "the file is missing, but there are segments");
    }
    SecureRandom random = new SecureRandom();
    Manifest created = new Manifest(random.nextLong(), random.nextLong(), 1, List.of());
    created.write(disk);
    return created;
  }

  private void recover() throws IOException {
    List<String> earlierAttempts = disk.list().stream().filter(this::isEarlierAttempts).toList();
    Recovery recovery = new Recovery(disk, manifest, segments, journal.partitions());
    recovery.readSegments();
    journal.log().nextSequence(recovery.nextSequence());
    journal.tokens().start(recovery.tokenCeiling(), journal.now().micros());
    List<Segment> unneeded = recovery.unneeded();
    journal.log().records();
    replies.start();
    writer.start();
    engine.start(journal.log());
    opened(journal.look(() -> null));
    journal.tokens().started();
    readAttempts(earlierAttempts);
    manifest.change(
        entries -> {
          entries.removeIf(one -> unneeded.stream().anyMatch(s -> s.file() == one.header().file()));
          return entries;
        });
    opened(journal.look(() -> drop(unneeded)));
    deleteLeftovers(recovery.hints());
    writer.waitForRoom(true);
    compactor.start();
  }

  /** Moves the attempts of earlier runs into the journal, in portions. */
  private void readAttempts(List<String> files) throws IOException {
    for (String name : files) {
      try (DiskFile file = disk.open(name)) {
        AttemptsReader reader = new AttemptsReader(file, name);
        List<Attempts.Attempt> portion = reader.next();
        while (!portion.isEmpty()) {
          List<Attempts.Attempt> next = portion;
          opened(journal.look(() -> journal.partitions().recount(next)));
          portion = reader.next();
        }
      }
    }
  }

  private boolean isEarlierAttempts(String name) {
    return FileNames.isAttempts(name) && !name.equals(attempts.name());
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

  /** Deletes files that were being made, or are not needed, and hints that are not right. */
  private void deleteLeftovers(Set<String> hints) throws IOException {
    List<String> kept = new ArrayList<>(List.of(attempts.name()));
    for (Manifest.Entry entry : manifest.manifest().segments()) {
      kept.add(entry.name());
      String hint = FileNames.hint(entry.header().file());
      if (hints.contains(hint)) {
        kept.add(hint);
      }
    }
    new UnnamedSegments(disk, manifest.manifest()).keepDamaged();
    for (String name : disk.list()) {
      if (FileNames.isMade(name) && !kept.contains(name)) {
        disk.delete(name);
      }
    }
    disk.force();
  }

  private void preamble(RecordBuffer into) {
    into.marks(journal.log().nextSequence(), journal.tokens().ceiling());
    journal.partitions().describe(into);
  }

  /**
   * Closes the journal; a second time does nothing. Waits for a bounded time: a disk that hangs
   * must not hold up the end of the process. The threads then go on, and keep the folder, until the
   * disk answers.
   */
  synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    // On a thread of its own, since an interrupt of the caller would close the files.
    Thread closing = new Thread(this::closeAll, "punctual-journal-closing");
    closing.setDaemon(true);
    closing.start();
    if (!Threads.join(closing, closeTime)) {
      log.error(
          "The journal {} did not close within {} s, since the disk does not answer; the next start"
              + " repairs that",
          disk.describe(),
          closeTime.toSeconds());
      journal.failLater(new PunctualException("the disk did not answer while it was closed"));
    }
  }

  private void closeAll() {
    writer.waitForRoom(false);
    compactor.close();
    boolean clean = isEveryLeaseEnded();
    engine.stop();
    writer.close();
    try {
      if (clean) {
        attempts.delete();
        disk.force();
      }
    } catch (IOException e) {
      warnOfUncleanClose(e);
    } finally {
      replies.stop();
      closeFiles();
      letGo(folder);
    }
  }

  /** Without that the file of attempts has to stay. */
  private boolean isEveryLeaseEnded() {
    try {
      return await(endLeases());
    } catch (PunctualException e) {
      warnOfUncleanClose(e);
      return false;
    }
  }

  private void warnOfUncleanClose(Exception why) {
    log.warn(
        "The journal {} was not closed cleanly; the next start repairs that", disk.describe(), why);
  }

  private CompletableFuture<Boolean> endLeases() {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    engine.executeInAnyCase(
        () -> {
          engine.refuseOthers();
          try {
            endLeases(ended);
          } catch (RuntimeException | Error e) {
            ended.completeExceptionally(e);
            throw e;
          }
        });
    return ended;
  }

  private void endLeases(CompletableFuture<Boolean> ended) {
    if (journal.failure() == null) {
      boolean all = true;
      for (PartitionState partition : journal.partitions().defined()) {
        all &= LeaseClosing.endLeases(partition);
      }
      journal.answerWhenSafe(ended, all);
    } else {
      ended.complete(false);
    }
  }

  private void closeFiles() {
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
      log.warn("The journal {} could not be let go", folder.disk().describe(), e);
    }
  }

  /** Waits for a part of the opening; why it failed is an IOException if it was the disk. */
  private static <T extends @Nullable Object> void opened(CompletableFuture<T> part)
      throws IOException {
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

  /** Waits whether or not it is interrupted, since half a closing helps nobody. */
  private static <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new PunctualException("The journal could not be closed", e.getCause());
    }
  }

  private final class WriterListener implements LogWriter.Listener {
    @Override
    public void written(Frame frame) {
      journal.log().written(frame);
      engine.wake();
    }

    @Override
    public void failed(IOException cause) {
      log.error("The journal {} can't be written any more", disk.describe(), cause);
      journal.failLater(cause);
    }
  }
}
