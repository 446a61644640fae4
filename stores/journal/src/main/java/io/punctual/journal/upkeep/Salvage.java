package io.punctual.journal.upkeep;

import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.format.FrameFormat;
import io.punctual.journal.format.FrameReader;
import io.punctual.journal.format.RecordReader;
import io.punctual.journal.format.RecordType;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Keeps the intact records of a damaged segment: all records of intact frames, and the records with
 * a right checksum in a damaged frame. In a damaged frame, the length of each record leads to the
 * next record, until a length is invalid. Removals have no checksum. They are kept if the lengths
 * lead to the exact end of the frame. A wrong removal is unlikely to match a message, because it
 * must have the message's number and hash. A damaged frame's other records without a checksum, and
 * all malformed records, are dropped.
 */
final class Salvage {
  private final FrameReader frames;
  private final RecordReader reader;
  private final Sink sink;
  private final RecordCounts kept = new RecordCounts();
  private long lostBytes;

  /** Receives the kept records. */
  @FunctionalInterface
  interface Sink {
    void record(RecordType type, ByteBuffer record) throws IOException;
  }

  /**
   * The result of a salvage.
   *
   * @param lostBytes the number of lost bytes
   * @param kept the counts of the kept records
   */
  record Result(long lostBytes, RecordCounts kept) {}

  private Salvage(FrameReader frames, RecordReader reader, Sink sink) {
    this.frames = frames;
    this.reader = reader;
    this.sink = sink;
  }

  /** Passes the intact records to {@code sink}. */
  static Result of(DiskFile file, SegmentHeader header, Sink sink) throws IOException {
    String name = FileNames.segment(header.file());
    FrameReader frames = new FrameReader(new FileWindow(file, name), header.salt());
    Salvage salvage = new Salvage(frames, new RecordReader(name), sink);
    long at = SegmentHeader.LENGTH;
    while (at < salvage.frames.size()) {
      at = salvage.keep(at);
    }
    return new Result(salvage.lostBytes, salvage.kept);
  }

  private long keep(long at) throws IOException {
    ByteBuffer frame = frames.at(at);
    if (frame != null) {
      long end = at + frame.limit();
      lostBytes += frame.limit() - FrameFormat.HEADER;
      for (ByteBuffer record : chain(frame.position(FrameFormat.HEADER).slice()).records()) {
        keep(record);
      }
      return end;
    }
    long end = frames.next(at + 1);
    keepPart(at, end);
    return end;
  }

  private void keepPart(long from, long to) throws IOException {
    lostBytes += to - from;
    long begin = from + FrameFormat.HEADER;
    if (begin >= to || to - begin > FrameFormat.MAX_LENGTH) {
      return;
    }
    Chain chain = chain(frames.bytes(begin, (int) (to - begin)));
    for (ByteBuffer record : chain.records()) {
      if (isCertain(record, chain.isWhole())) {
        keep(record);
      }
    }
  }

  private void keep(ByteBuffer record) throws IOException {
    if (isReadable(record)) {
      lostBytes -= record.limit();
      sink.record(type(record), record);
    }
  }

  /** Whether a start can read a record. If so, counts the record. */
  private boolean isReadable(ByteBuffer record) {
    try {
      boolean unused = reader.read(record.duplicate(), 1, 0, kept);
      return true;
    } catch (JournalDamagedException e) {
      return false;
    }
  }

  private static boolean isCertain(ByteBuffer record, boolean lengthsAddUp) {
    return switch (type(record)) {
      case MESSAGE, REPLACEMENT, STATE, QUEUE -> RecordReader.isIntact(record);
      case REMOVAL -> lengthsAddUp;
      case PAUSED, PAUSE_NOTE, LIMITS, DELETED, MARKS, FOOTER -> false;
    };
  }

  private record Chain(List<ByteBuffer> records, boolean isWhole) {}

  private static Chain chain(ByteBuffer bytes) {
    List<ByteBuffer> records = new ArrayList<>();
    int at = 0;
    while (bytes.limit() - at >= RecordType.PREFIX) {
      RecordType type = RecordType.of(bytes.get(at));
      int length = bytes.getInt(at + 1);
      if (type == null || length < type.leastLength() || length > bytes.limit() - at) {
        break;
      }
      records.add(bytes.slice(at, length));
      at += length;
    }
    return new Chain(records, at == bytes.limit());
  }

  private static RecordType type(ByteBuffer record) {
    RecordType type = RecordType.of(record.get(0));
    if (type == null) {
      throw new IllegalStateException("A record without a type was taken");
    }
    return type;
  }
}
