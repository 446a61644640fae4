package io.punctual.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a smaller segment in the place of one that is mostly not needed any more, or one segment in
 * the place of several small neighbours.
 *
 * <p>What is needed is copied to a new file, messages in the order of their due times, so that they
 * are read forward later. The file is forced and named in the manifest before the old one goes, and
 * only once everything that was the reason to leave something out is safe itself: a message is left
 * out whose removal, or whose replacement, was in the memory alone until then.
 *
 * <p>A removal is copied until every file that may hold the message from before is gone or was
 * compacted after it: the message would rise again otherwise. The new file has the place of the old
 * ones in the order, so what later segments say still counts.
 */
final class Compaction {
  private static final Logger log = LoggerFactory.getLogger(Compaction.class);
  private static final int PORTION = 4096;

  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments;
  private final Journal journal;
  private final Liveness liveness;
  private final Pace pace;
  private final long segmentBytes;
  private final SecureRandom salts = new SecureRandom();

  /** Holds a compaction up, so that others have their share of the disk. */
  @FunctionalInterface
  interface Pace {
    /**
     * So many bytes were written.
     *
     * @throws InterruptedException if the compaction is to be given up
     */
    void written(int bytes) throws InterruptedException;
  }

  Compaction(
      Disk disk,
      ManifestFile manifest,
      Segments segments,
      Journal journal,
      long segmentBytes,
      Pace pace) {
    this.disk = disk;
    this.manifest = manifest;
    this.segments = segments;
    this.journal = journal;
    this.pace = pace;
    this.segmentBytes = segmentBytes;
    liveness = new Liveness(segments, journal.lanes(), journal.log());
  }

  /** Compacts some segments, if there are any worth it; returns whether there were. */
  boolean run() throws IOException, InterruptedException {
    List<Manifest.Entry> ended =
        manifest.manifest().segments().stream().filter(entry -> !entry.isOpen()).toList();
    Found found = journal.look(() -> new Found(liveness.candidate(ended, segmentBytes))).join();
    if (found.candidate == null) {
      return false;
    }
    try {
      compact(found.candidate);
    } catch (JournalDamagedException e) {
      log.error("{} Until then compaction leaves this segment alone", e.getMessage());
      look(() -> leaveAlone(found.candidate, e.file()));
    }
    return true;
  }

  private static void leaveAlone(Liveness.Candidate candidate, String file) {
    for (Segment segment : candidate.segments()) {
      if (segment.name().equals(file)) {
        segment.leaveAlone();
      }
    }
  }

  private record Found(Liveness.@Nullable Candidate candidate) {}

  private void compact(Liveness.Candidate candidate) throws IOException, InterruptedException {
    List<Segment> old = candidate.segments();
    Map<Integer, String> queues = new TreeMap<>();
    List<Kept> needed = new ArrayList<>();
    for (Segment segment : old) {
      CompactionScan scan = scan(segment, old);
      needed.addAll(scan.needed());
      queues.putAll(scan.queues());
    }
    if (needed.isEmpty()) {
      journal.forceAll().join();
      replace(old, List.of());
      retire(old);
    } else {
      copy(candidate, queues, inDueOrder(needed));
    }
  }

  private CompactionScan scan(Segment segment, List<Segment> together) throws IOException {
    CompactionScan scan =
        new CompactionScan(
            segment, records -> journal.look(() -> liveness.needed(together, records)).join());
    SegmentScan walked = SegmentScan.of(segment.opened(), segment.name(), scan);
    if (!walked.hasFooter()) {
      throw walked.damage();
    }
    return scan;
  }

  /** Messages by due time, then everything else in its order. */
  private List<Kept> inDueOrder(List<Kept> needed) {
    List<Kept> messages = needed.stream().filter(Kept::isMessage).toList();
    List<Due> due = new ArrayList<>(messages.size());
    for (int from = 0; from < messages.size(); from += PORTION) {
      List<Kept> portion = messages.subList(from, Math.min(messages.size(), from + PORTION));
      long[] millis = journal.look(() -> liveness.dueMillis(portion)).join();
      for (int i = 0; i < millis.length; i++) {
        due.add(new Due(millis[i], portion.get(i)));
      }
    }
    due.sort(Comparator.comparingLong(Due::millis));
    List<Kept> sorted = new ArrayList<>(needed.size());
    due.forEach(message -> sorted.add(message.record()));
    needed.stream().filter(record -> !record.isMessage()).forEach(sorted::add);
    return sorted;
  }

  private record Due(long millis, Kept record) {}

  private void copy(Liveness.Candidate candidate, Map<Integer, String> queues, List<Kept> needed)
      throws IOException, InterruptedException {
    List<Segment> old = candidate.segments();
    SegmentHeader header =
        old.get(0)
            .header()
            .successor(
                manifest.newFile(),
                old.get(old.size() - 1).header().last(),
                candidate.cleaned(),
                salts.nextLong());
    Segment copy = new Segment(header);
    DiskFile file = disk.create(copy.name());
    boolean stays = false;
    try {
      copy.opened(file);
      SegmentWriter writer = new SegmentWriter(file, header);
      queues.forEach(
          (queue, name) -> writer.records().queue(queue, name.getBytes(StandardCharsets.UTF_8)));
      List<Liveness.Moved> moved = write(copy, writer, needed);
      long before = writer.written();
      Manifest.Entry entry = writer.end();
      pace.written(Math.toIntExact(entry.length() - before));
      disk.force();
      journal.forceAll().join();
      replace(old, List.of(entry));
      stays = true;
      copy.length(entry.length());
      copy.seal();
      move(copy, moved);
      retire(old);
    } catch (ForceFailedException | Error e) {
      // The manifest may name the copy by now; the next start will know.
      stays = true;
      throw e;
    } finally {
      if (!stays) {
        file.close();
        disk.delete(copy.name());
      }
    }
  }

  private List<Liveness.Moved> write(Segment copy, SegmentWriter writer, List<Kept> needed)
      throws IOException, InterruptedException {
    List<Liveness.Moved> moved = new ArrayList<>(needed.size());
    for (Kept record : needed) {
      if (record.isRemoval()) {
        int before = writer.records().size();
        writer.records().removal(record.queue(), record.sequence(), record.hash(), record.home());
        copy.removal(record.home(), writer.records().size() - before);
      } else {
        moved.add(new Liveness.Moved(record, writer.nextOffset()));
        writer.records().copy(read(record));
      }
      int written = writer.added();
      if (written > 0) {
        pace.written(written);
      }
    }
    return moved;
  }

  private static ByteBuffer read(Kept record) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(record.length());
    record.segment().opened().read(bytes, record.offset());
    if (!RecordReader.isIntact(bytes.flip())) {
      throw new JournalDamagedException(
          record.segment().name(), record.offset(), "the checksum of a record is wrong");
    }
    return bytes;
  }

  /** Names {@code copies} in the place of the first of these segments, and drops the others. */
  private void replace(List<Segment> old, List<Manifest.Entry> copies) throws IOException {
    manifest.change(
        entries -> {
          List<Manifest.Entry> changed = new ArrayList<>();
          for (Manifest.Entry entry : entries) {
            int file = entry.header().file();
            if (file == old.get(0).file()) {
              changed.addAll(copies);
            } else if (old.stream().noneMatch(segment -> segment.file() == file)) {
              changed.add(entry);
            }
          }
          return changed;
        });
  }

  private void move(Segment copy, List<Liveness.Moved> moved) {
    look(() -> segments.add(copy));
    for (int from = 0; from < moved.size(); from += PORTION) {
      List<Liveness.Moved> portion = moved.subList(from, Math.min(moved.size(), from + PORTION));
      look(() -> liveness.move(copy, portion));
    }
  }

  private void retire(List<Segment> old) throws IOException {
    look(() -> old.forEach(segments::remove));
    for (Segment segment : old) {
      segment.opened().close();
      disk.delete(segment.name());
      disk.delete(FileNames.hint(segment.file()));
    }
    disk.force();
  }

  private void look(Runnable action) {
    journal
        .look(
            () -> {
              action.run();
              return true;
            })
        .join();
  }
}
