package io.punctual.journal.upkeep;

import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.RecordBuffer;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentWriter;
import io.punctual.journal.log.Segment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The new segment that a compaction writes. It names only the queues of its records, because the
 * last segment of a journal names all queues. For one thread.
 */
final class SegmentCopy {
  private final Segment segment;
  private final SegmentWriter writer;
  private final Map<Integer, String> queues;
  private final Compaction.Pace pace;
  private final Set<Integer> named = new HashSet<>();

  SegmentCopy(
      Segment segment, SegmentWriter writer, Map<Integer, String> queues, Compaction.Pace pace) {
    this.segment = segment;
    this.writer = writer;
    this.queues = queues;
    this.pace = pace;
  }

  /** Adds a record about a message. */
  void add(ByteBuffer record) throws IOException, InterruptedException {
    name(record.getInt(5));
    RecordType type = RecordType.of(record.get(0));
    if (type == RecordType.REMOVAL) {
      segment.removal(record.getInt(21));
    } else if (type == RecordType.REPLACEMENT) {
      segment.removal(record.getInt(37));
    }
    writer.records().copy(record);
    int written = writer.added();
    if (written > 0) {
      pace.written(written);
    }
  }

  private void name(int queue) {
    String name = queues.get(queue);
    if (name != null && named.add(queue)) {
      byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
      writer.records().queue(queue, bytes);
      segment.named(RecordBuffer.queueBytes(bytes));
    }
  }

  /** Ends the copy and forces it. */
  Manifest.Entry end() throws IOException, InterruptedException {
    long before = writer.written();
    Manifest.Entry entry = writer.end();
    pace.written(Math.toIntExact(entry.length() - before));
    return entry;
  }
}
