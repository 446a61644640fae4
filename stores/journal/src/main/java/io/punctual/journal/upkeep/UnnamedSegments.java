package io.punctual.journal.upkeep;

import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.FrameReader;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * The segments in a folder that the manifest does not name. A process that died may leave unnamed
 * segments behind: unfinished copies, the originals of finished copies, and a new segment whose
 * first frame was not confirmed. These can be deleted. However, if the manifest was restored from
 * an old copy, it does not name the segments that were created after the copy. Such segments must
 * not be deleted.
 */
public final class UnnamedSegments {
  private static final Logger log = Logs.of(UnnamedSegments.class);

  private final Disk disk;
  private final Manifest manifest;

  public UnnamedSegments(Disk disk, Manifest manifest) {
    this.disk = disk;
    this.manifest = manifest;
  }

  /** Returns the unnamed segments whose existence proves that the manifest is an old copy. */
  public List<String> newerThanManifest() throws IOException {
    List<String> newer = new ArrayList<>();
    for (String name : names()) {
      if (isNewer(name)) {
        newer.add(name);
      }
    }
    return newer;
  }

  /** Returns an exception which says that the manifest is an old copy. */
  public static JournalDamagedException outdated(List<String> newer) {
    return new JournalDamagedException(
        FileNames.MANIFEST, 0, "it is an old copy: it does not name " + String.join(", ", newer));
  }

  /** Returns the unnamed segments with a damaged header, which the journal may need. */
  public List<String> damaged() throws IOException {
    List<String> damaged = new ArrayList<>();
    for (String name : names()) {
      if (isDamaged(name)) {
        damaged.add(name);
      }
    }
    return damaged;
  }

  /** Renames the unnamed segments with a damaged header, so that they are kept. */
  public void keepDamaged() throws IOException {
    for (String name : damaged()) {
      String kept = FileNames.free(disk, FileNames.damaged(name));
      disk.rename(name, kept);
      log.warn(
          "The header of {} is damaged, and the manifest does not name the file: it was being"
              + " written, or a repair did not recognize it. It is kept as {}",
          name,
          kept);
    }
  }

  private List<String> names() throws IOException {
    Set<String> named =
        manifest.segments().stream().map(Manifest.Entry::name).collect(Collectors.toSet());
    return disk.list().stream()
        .filter(name -> FileNames.isSegment(name) && !named.contains(name))
        .toList();
  }

  private boolean isNewer(String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      FileWindow window = new FileWindow(file, name);
      SegmentHeader header = SegmentHeader.decode(window.at(0, SegmentHeader.LENGTH), name);
      return (header.file() >= manifest.nextFile() || isAfterOpen(header))
          && manifest.segments().stream().noneMatch(entry -> entry.header().overlaps(header))
          && hasFrames(new FrameReader(window, header.salt()), isLastOpen() ? 1 : 2);
    } catch (JournalDamagedException e) {
      return false;
    }
  }

  /**
   * Whether a segment follows the open segment of the manifest. Its number is below the manifest's
   * next number if its file was prepared before the manifest was written.
   */
  private boolean isAfterOpen(SegmentHeader header) {
    return manifest.segments().stream()
        .anyMatch(entry -> entry.isOpen() && entry.header().last() < header.first());
  }

  /**
   * Whether the manifest has an open segment. The manifest ends a segment and names the next one in
   * a single change, and the next one has no frame before that. If the manifest has an open
   * segment, a newer segment with a frame therefore proves that it is an old copy.
   */
  private boolean isLastOpen() {
    return manifest.segments().stream().anyMatch(Manifest.Entry::isOpen);
  }

  /**
   * Whether a segment has a number of frames. Earlier versions wrote the first frame before the
   * manifest named the segment, but had ended the segment before.
   */
  private static boolean hasFrames(FrameReader frames, int count) throws IOException {
    long at = SegmentHeader.LENGTH;
    for (int i = 0; i < count; i++) {
      ByteBuffer frame = frames.at(at);
      if (frame == null) {
        return false;
      }
      at += frame.limit();
    }
    return true;
  }

  private boolean isDamaged(String name) throws IOException {
    try (DiskFile file = disk.open(name)) {
      ByteBuffer header = new FileWindow(file, name).at(0, SegmentHeader.LENGTH);
      if (header.limit() < SegmentHeader.LENGTH || isEmpty(header)) {
        return false;
      }
      SegmentHeader unused = SegmentHeader.decode(header, name);
      return false;
    } catch (JournalDamagedException e) {
      return true;
    }
  }

  /**
   * Whether a header has only zeros. After a loss of power a file can have its length, but none of
   * its bytes.
   */
  private static boolean isEmpty(ByteBuffer header) {
    return header.equals(ByteBuffer.allocate(SegmentHeader.LENGTH));
  }
}
