package io.punctual.journal.log;

import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.report.JournalDamagedException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads many records at once. Records that are close together in a file share a read, because a
 * second read costs more than the few unneeded bytes between them. Messages with similar due times
 * are often close together, because they were scheduled at similar times or sorted by a compaction.
 */
public final class NearReads {
  /** The maximum number of unneeded bytes between two records that share a read. */
  private static final int GAP = 1 << 10;

  private static final int WINDOW = 1 << 16;

  private final RecordLog log;
  private final long[] order;
  private final int[] lengths;
  private final ReadMessage[] found;

  private NearReads(RecordLog log, long[] order, int[] lengths) {
    this.log = log;
    this.order = order;
    this.lengths = lengths;
    found = new ReadMessage[order.length];
  }

  /**
   * Reads the records at the given locations, which must be distinct.
   *
   * @return a result for each record, in the order of the locations
   */
  public static ReadMessage[] of(RecordLog log, long[] locations, int[] lengths) {
    long[] order = locations.clone();
    Arrays.sort(order);
    int[] inOrder = new int[lengths.length];
    for (int i = 0; i < locations.length; i++) {
      inOrder[Arrays.binarySearch(order, locations[i])] = lengths[i];
    }
    NearReads reads = new NearReads(log, order, inOrder);
    reads.readAll();
    ReadMessage[] records = new ReadMessage[locations.length];
    for (int i = 0; i < locations.length; i++) {
      records[i] = reads.found[Arrays.binarySearch(order, locations[i])];
    }
    return records;
  }

  private void readAll() {
    int from = 0;
    while (from < order.length) {
      int to = from + 1;
      if (!log.isInMemory(order[from])) {
        while (to < order.length && isNear(from, to) && !log.isInMemory(order[to])) {
          to++;
        }
      }
      read(from, to);
      from = to;
    }
  }

  /**
   * Whether a record can share a read that begins at the record {@code from}. Records of different
   * files never share a read, since the upper half of a location is the number of its file.
   */
  private boolean isNear(int from, int next) {
    return order[next] - end(next - 1) <= GAP && end(next) - order[from] <= WINDOW;
  }

  private long end(int record) {
    return order[record] + lengths[record];
  }

  private void read(int from, int to) {
    if (to == from + 1 || !readTogether(from, to)) {
      for (int i = from; i < to; i++) {
        found[i] = readAlone(i);
      }
    }
  }

  private ReadMessage readAlone(int i) {
    try {
      return ReadMessage.of(new MessageRecord(log.read(order[i], lengths[i])));
    } catch (JournalDamagedException e) {
      return ReadMessage.failed(e);
    }
  }

  /**
   * Reads several records with a single read. Returns false if the disk can't read them; a read of
   * each record alone then finds the unreadable records.
   */
  private boolean readTogether(int from, int to) {
    try {
      ByteBuffer all = log.read(order[from], (int) (end(to - 1) - order[from]));
      for (int i = from; i < to; i++) {
        int at = (int) (order[i] - order[from]);
        found[i] = ReadMessage.of(new MessageRecord(all.slice(at, lengths[i])));
      }
      return true;
    } catch (JournalDamagedException e) {
      return false;
    }
  }
}
