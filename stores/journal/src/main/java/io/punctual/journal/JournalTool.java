package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.FileFailures;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.journal.report.JournalStats;
import io.punctual.journal.report.RepairReport;
import io.punctual.journal.report.VerificationReport;
import io.punctual.journal.upkeep.RepairJob;
import io.punctual.journal.upkeep.SalvageDisk;
import io.punctual.journal.upkeep.Snapshot;
import io.punctual.journal.upkeep.Verification;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Verifies and repairs the files of a journal, and counts its messages. Stateless, so safe for use
 * by many threads. While {@link #repair} runs, no process can open the journal to own it. The same
 * holds for {@link #verify} if the folder has a lock file, which the first owner creates.
 */
public final class JournalTool {
  private JournalTool() {}

  /**
   * Reads and checks the manifest and the segments of a journal, each segment up to its first
   * damage. All messages are in these files; other files are not checked. Writes nothing, so the
   * folder may be on a read-only mount.
   *
   * @throws StoreUnavailableException if a process has the journal open
   * @throws PunctualException if the folder has no journal, or the journal can't be read
   */
  public static VerificationReport verify(Path folder) {
    return with(folder, Folder::look, "verified", JournalTool::verify);
  }

  static VerificationReport verify(Disk disk) throws IOException {
    return Verification.of(new SalvageDisk(disk)).report();
  }

  /**
   * Counts the messages and bytes of a journal, which a process may have open. Writes nothing, so
   * the folder may be on a read-only mount.
   *
   * @throws JournalDamagedException if the journal is damaged
   * @throws PunctualException if the folder has no journal, or the journal can't be read
   */
  public static JournalStats stats(Path folder) {
    return with(folder, Folder::read, "read", JournalTool::stats);
  }

  static JournalStats stats(Disk disk) throws IOException {
    try (Snapshot snapshot = Snapshot.of(disk, 0)) {
      return snapshot.stats();
    }
  }

  /**
   * Repairs a damaged journal so that it opens, and keeps copies of the damaged files.
   *
   * @param goAhead decides whether to repair, given the plan of the repair; not called if nothing
   *     is damaged
   * @return the completed repair; or its plan if {@code goAhead} declined or nothing is damaged
   * @throws JournalDamagedException if no journal can be made from the files
   * @throws StoreUnavailableException if a process has the journal open
   * @throws PunctualException if the folder has no journal, or the journal can't be read or written
   */
  public static RepairReport repair(Path folder, Predicate<RepairReport> goAhead) {
    return with(folder, path -> Folder.take(path, true), "repaired", disk -> repair(disk, goAhead));
  }

  static RepairReport repair(Disk disk, Predicate<RepairReport> goAhead) throws IOException {
    RepairJob job = new RepairJob(disk);
    RepairReport plan = job.plan();
    if (plan.damage().isEmpty() || !goAhead.test(plan)) {
      return plan;
    }
    job.run(EngineTime.of(Instant.now()).micros());
    return new RepairReport(plan.damage(), plan.segments(), true);
  }

  /** A piece of work on the files of a journal. */
  @FunctionalInterface
  private interface Work<T> {
    T on(Disk disk) throws IOException;
  }

  /** A way to open a journal's folder. */
  @FunctionalInterface
  private interface Opening {
    Folder open(Path path) throws IOException;
  }

  private static <T> T with(Path folder, Opening opening, String done, Work<T> work) {
    try {
      requireJournal(folder);
      Folder owned = opening.open(folder);
      try (AutoCloseable ownership = owned.ownership()) {
        return work.on(owned.disk());
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (IOException e) {
      throw new PunctualException(
          "The journal " + folder + " could not be " + done + ": " + FileFailures.reason(e), e);
    } catch (Exception e) {
      throw new PunctualException(
          "The journal " + folder + " could not be " + done + ": " + e.getMessage(), e);
    }
  }

  /**
   * Checks that a folder has a journal; changes nothing.
   *
   * @throws PunctualException if the folder has no journal or can't be read
   */
  public static void requireJournal(Path folder) {
    if (!Files.exists(folder)) {
      throw new PunctualException("There is no folder " + folder);
    }
    if (!Files.isDirectory(folder)) {
      throw new PunctualException(folder + " is a file; a journal is a folder");
    }
    try (Stream<Path> files = Files.list(folder)) {
      if (files.map(file -> String.valueOf(file.getFileName())).noneMatch(JournalTool::isPart)) {
        throw new PunctualException("There is no journal in " + folder);
      }
    } catch (IOException e) {
      throw new PunctualException(
          "The folder " + folder + " can't be read: " + FileFailures.reason(e), e);
    }
  }

  private static boolean isPart(String name) {
    return name.equals(FileNames.MANIFEST) || FileNames.isSegment(name);
  }
}
