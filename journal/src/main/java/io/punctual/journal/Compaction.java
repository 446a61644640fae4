package io.punctual.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts a smaller segment in the place of one that is mostly not needed any more.
 *
 * <p>What is needed is copied to a new file, messages in the order of their due times, so that they
 * are read forward later. The file is forced and named in the manifest before the old one goes, and
 * only once everything that was the reason to leave something out is safe itself: a message is left
 * out whose removal, or whose replacement, was in the memory alone until then.
 *
 * <p>A removal is copied until every file that may hold the message from before is gone or was
 * compacted after it: the message would rise again otherwise. The new file has the place of the old
 * one in the order, so what later segments say still counts.
 */
final class Compaction {
  private static final int PORTION = 4096;

  private final Disk disk;
  private final ManifestFile manifest;
  private final Segments segments;
  private final Journal journal;
  private final Liveness liveness;
  private final Pace pace;
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
      Disk disk, ManifestFile manifest, Segments segments, Journal journal, Log log, Pace pace) {
    this.disk = disk;
    this.manifest = manifest;
    this.segments = segments;
    this.journal = journal;
    this.pace = pace;
    liveness = new Liveness(segments, journal.lanes(), log);
  }

  /** Compacts one segment, if there is one worth it; returns whether there was. */
  boolean run() throws IOException, InterruptedException {
    List<Manifest.Entry> ended =
        manifest.manifest().segments().stream().filter(entry -> !entry.isOpen()).toList();
    Found found = journal.look(() -> new Found(liveness.candidate(ended))).join();
    if (found.candidate == null) {
      return false;
    }
    compact(found.candidate);
    return true;
  }

  private record Found(Liveness.@Nullable Candidate candidate) {}

  private void compact(Liveness.Candidate candidate) throws IOException, InterruptedException {
    Segment old = candidate.segment();
    CompactionScan scan =
        new CompactionScan(records -> journal.look(() -> liveness.needed(old, records)).join());
    SegmentScan walked = SegmentScan.of(old.opened(), old.name(), scan);
    if (!walked.hasFooter()) {
      throw walked.damage();
    }
    List<Kept> needed = inDueOrder(old, scan.needed());
    if (needed.isEmpty()) {
      journal.forceAll().join();
      replace(old, List.of());
      retire(old);
    } else {
      copy(candidate, scan, needed);
    }
  }

  /** Messages by due time, then everything else in its order. */
  private List<Kept> inDueOrder(Segment old, List<Kept> needed) {
    List<Kept> sorted = new ArrayList<>(needed.size());
    Map<Kept, Long> due = new HashMap<>();
    for (int from = 0; from < needed.size(); from += PORTION) {
      List<Kept> portion = needed.subList(from, Math.min(needed.size(), from + PORTION));
      due.putAll(
          journal
              .look(
                  () -> {
                    Map<Kept, Long> times = new HashMap<>();
                    portion.stream()
                        .filter(record -> record.type() == RecordType.MESSAGE)
                        .forEach(record -> times.put(record, liveness.dueMillis(old, record)));
                    return times;
                  })
              .join());
    }
    needed.stream().filter(due::containsKey).forEach(sorted::add);
    sorted.sort(Comparator.comparing(due::get));
    needed.stream().filter(record -> !due.containsKey(record)).forEach(sorted::add);
    return sorted;
  }

  private void copy(Liveness.Candidate candidate, CompactionScan scan, List<Kept> needed)
      throws IOException, InterruptedException {
    Segment old = candidate.segment();
    int number = manifest.newFile();
    SegmentHeader header =
        old.header().successor(number, old.header().last(), candidate.cleaned(), salts.nextLong());
    Segment copy = new Segment(header);
    DiskFile file = disk.create(copy.name());
    boolean complete = false;
    try {
      copy.opened(file);
      SegmentWriter writer = new SegmentWriter(file, header);
      scan.queues()
          .forEach(
              (queue, name) ->
                  writer.records().queue(queue, name.getBytes(StandardCharsets.UTF_8)));
      List<Liveness.Moved> moved = write(old, copy, writer, needed);
      Manifest.Entry entry = writer.end();
      disk.force();
      journal.forceAll().join();
      replace(old, List.of(entry));
      complete = true;
      copy.length(entry.length());
      copy.seal();
      move(old, copy, moved);
      retire(old);
    } finally {
      if (!complete) {
        file.close();
        disk.delete(copy.name());
      }
    }
  }

  private List<Liveness.Moved> write(
      Segment old, Segment copy, SegmentWriter writer, List<Kept> needed)
      throws IOException, InterruptedException {
    List<Liveness.Moved> moved = new ArrayList<>(needed.size());
    for (Kept record : needed) {
      if (record.isRemoval()) {
        int before = writer.records().size();
        writer.records().removal(record.queue(), record.sequence(), record.hash(), record.home());
        copy.removal(record.home(), writer.records().size() - before);
      } else {
        moved.add(new Liveness.Moved(record, writer.nextOffset()));
        writer.records().copy(read(old, record));
      }
      int written = writer.added();
      if (written > 0) {
        pace.written(written);
      }
    }
    return moved;
  }

  private static ByteBuffer read(Segment old, Kept record) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(record.length());
    old.opened().read(bytes, record.offset());
    if (!RecordReader.isIntact(bytes.flip())) {
      throw new JournalDamagedException(
          old.name(), record.offset(), "the checksum of a record is wrong");
    }
    return bytes;
  }

  private void replace(Segment old, List<Manifest.Entry> copies) throws IOException {
    manifest.change(
        entries -> {
          List<Manifest.Entry> changed = new ArrayList<>();
          for (Manifest.Entry entry : entries) {
            if (entry.header().file() == old.file()) {
              changed.addAll(copies);
            } else {
              changed.add(entry);
            }
          }
          return changed;
        });
  }

  private void move(Segment old, Segment copy, List<Liveness.Moved> moved) {
    journal
        .look(
            () -> {
              segments.add(copy);
              return true;
            })
        .join();
    for (int from = 0; from < moved.size(); from += PORTION) {
      List<Liveness.Moved> portion = moved.subList(from, Math.min(moved.size(), from + PORTION));
      journal
          .look(
              () -> {
                liveness.move(old, copy, portion);
                return true;
              })
          .join();
    }
  }

  private void retire(Segment old) throws IOException {
    journal
        .look(
            () -> {
              segments.remove(old);
              return true;
            })
        .join();
    old.opened().close();
    disk.delete(old.name());
    disk.delete(FileNames.hint(old.file()));
    disk.force();
  }
}
