package io.punctual.journal;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Looks into a journal that no process has open, and repairs it. Stateless, so safe for use by many
 * threads; each call owns the folder until it returns.
 */
public final class JournalTool {
  private JournalTool() {}

  /**
   * What was found in a journal.
   *
   * @param segments each segment, in the order in which they are read
   * @param damage everything that is not as it was written; with any, the journal does not open, or
   *     stops where it meets it
   */
  public record Report(List<SegmentReport> segments, List<Damage> damage) {}

  /**
   * What was found in one segment.
   *
   * @param file the file's name
   * @param bytes its length
   * @param closed whether it was ended; what follows the last good frame of one that was not, is
   *     cut at the next start
   * @param goodBytes how many bytes from the first on are as they were written
   * @param messages how many messages it tells of
   * @param states how many changes of messages
   * @param removals how many messages that have gone
   */
  public record SegmentReport(
      String file,
      long bytes,
      boolean closed,
      long goodBytes,
      long messages,
      long states,
      long removals) {}

  /**
   * Something that is not as it was written.
   *
   * @param file the file's name
   * @param offset the byte at which it was noticed, from 0
   * @param reason what is wrong
   */
  public record Damage(String file, long offset, String reason) {}

  /**
   * A repair, made or offered.
   *
   * @param damage what is wrong; nothing is to be done if this is empty
   * @param segments what is kept of each damaged segment; a damaged manifest is put together again
   * @param done whether it was made
   */
  public record Repair(List<Damage> damage, List<Salvaged> segments, boolean done) {}

  /**
   * What is kept of a damaged segment. What its lost bytes said is undone: a message may be
   * missing, or one that was settled, cancelled or changed may be there as it was before.
   *
   * @param file the file's name; a copy stays under this name with {@code .damaged} behind it
   * @param lostBytes how many bytes are lost
   * @param messages how many messages are kept, those included that have gone since
   * @param states how many changes of messages
   * @param removals how many removals of messages
   */
  public record Salvaged(String file, long lostBytes, long messages, long states, long removals) {}

  /**
   * How large a journal is.
   *
   * @param segments how many segments there are
   * @param bytes how long they are together
   * @param neededBytes how many bytes of these tell of messages that are there
   * @param hints how many segments have a hint file that the next start can use
   * @param closed whether it was closed; otherwise the next start reads the last segment again
   * @param queues how many queues there are
   * @param waiting how many messages wait
   * @param dead how many are dead letters
   */
  public record Stats(
      int segments,
      long bytes,
      long neededBytes,
      int hints,
      boolean closed,
      int queues,
      long waiting,
      long dead) {}

  /**
   * Reads every byte of a journal and checks it. Writes nothing, so the folder may be on a
   * read-only mount.
   *
   * @throws StoreUnavailableException if a process has it open
   * @throws PunctualException if there is none, or it can't be read
   */
  public static Report verify(Path folder) {
    return with(folder, Folder::look, "verified", JournalTool::verify);
  }

  static Report verify(Disk disk) throws IOException {
    return Verification.of(new SalvageDisk(disk)).report();
  }

  /**
   * Counts the messages and bytes of a journal. Writes nothing, so the folder may be on a read-only
   * mount.
   *
   * @throws JournalDamagedException if it is damaged
   * @throws StoreUnavailableException if a process has it open
   * @throws PunctualException if there is none, or it can't be read
   */
  public static Stats stats(Path folder) {
    return with(folder, Folder::look, "read", Survey::of);
  }

  /**
   * Makes a damaged journal one that opens, and keeps copies of the damaged files.
   *
   * @param goAhead is shown what would be kept, and decides; not asked if nothing is damaged
   * @return what was done, or not done
   * @throws JournalDamagedException if there is nothing left to make a journal of
   * @throws StoreUnavailableException if a process has it open
   * @throws PunctualException if there is none, or it can't be read or written
   */
  public static Repair repair(Path folder, Predicate<Repair> goAhead) {
    return with(folder, path -> Folder.take(path, true), "repaired", disk -> repair(disk, goAhead));
  }

  static Repair repair(Disk disk, Predicate<Repair> goAhead) throws IOException {
    RepairJob job = new RepairJob(disk);
    Repair plan = job.plan();
    if (plan.damage().isEmpty() || !goAhead.test(plan)) {
      return plan;
    }
    job.run();
    return new Repair(plan.damage(), plan.segments(), true);
  }

  /** Something to do with a journal's folder. */
  @FunctionalInterface
  private interface Work<T> {
    T on(Disk disk) throws IOException;
  }

  /** Opens a journal's folder. */
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
   * @throws PunctualException if there is none, or the folder can't be read
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
