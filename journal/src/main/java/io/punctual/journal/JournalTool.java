package io.punctual.journal;

import io.punctual.PunctualException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks into a journal that no process has open. Changes nothing in it. Stateless, so safe for use
 * by many threads; each call owns the folder until it returns.
 */
public final class JournalTool {
  private JournalTool() {}

  /**
   * What was found in a journal.
   *
   * @param segments each segment, in the order in which they are read
   * @param damage everything that is not as it was written; with any, the journal does not open
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
   * Reads every byte of a journal and checks it.
   *
   * @throws PunctualException if a process has it open, or it can't be read
   */
  public static Report verify(Path folder) {
    try {
      Folder owned = Folder.take(folder.toRealPath(), true);
      try (AutoCloseable ownership = owned.ownership()) {
        return verify(owned.disk());
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new PunctualException(
          "The journal " + folder + " could not be verified: " + e.getMessage(), e);
    }
  }

  static Report verify(Disk disk) throws IOException {
    List<SegmentReport> segments = new ArrayList<>();
    List<Damage> damage = new ArrayList<>();
    try {
      for (Manifest.Entry entry : Manifest.read(disk).segments()) {
        verify(disk, entry, segments, damage);
      }
    } catch (JournalDamagedException e) {
      damage.add(damage(e));
    }
    return new Report(List.copyOf(segments), List.copyOf(damage));
  }

  private static void verify(
      Disk disk, Manifest.Entry entry, List<SegmentReport> segments, List<Damage> damage)
      throws IOException {
    if (!disk.list().contains(entry.name())) {
      damage.add(new Damage(entry.name(), 0, "the file is missing"));
      return;
    }
    try (DiskFile file = disk.open(entry.name())) {
      RecordCounts counts = new RecordCounts();
      SegmentScan scan = SegmentScan.of(file, entry.name(), counts);
      segments.add(counts.report(entry, file.size(), scan));
      if (!scan.header().equals(entry.header())) {
        damage.add(new Damage(entry.name(), 0, "this is another segment than the manifest says"));
      } else if (isDamaged(scan, entry, file.size())) {
        damage.add(damage(scan.damage()));
      }
    } catch (JournalDamagedException e) {
      damage.add(damage(e));
    }
  }

  private static boolean isDamaged(SegmentScan scan, Manifest.Entry entry, long size)
      throws IOException {
    if (entry.isOpen()) {
      return scan.trouble() != null && (scan.hasFooter() || scan.isTroubleAfterForce());
    }
    return scan.trouble() != null
        || !scan.hasFooter()
        || size != entry.length()
        || scan.checksum() != entry.checksum();
  }

  private static Damage damage(JournalDamagedException e) {
    return new Damage(e.file(), e.offset(), e.reason());
  }
}
