package io.punctual.journal.partition;

import io.punctual.journal.format.Location;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.RecordTable;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segments;

/**
 * Writes the state records and the removals of a queue's messages, and counts the needed bytes of
 * each segment. For the journal's thread alone.
 */
public final class RecordStore {
  private final PartitionState partition;
  private final RecordLog log;
  private final Segments segments;
  private final SlotTable slots;
  private final RecordTable records;

  RecordStore(PartitionState partition, RecordLog log, Segments segments) {
    this.partition = partition;
    this.log = log;
    this.segments = segments;
    slots = partition.slots();
    records = partition.records();
  }

  void writeRemoval(int slot) {
    int home = home(slot);
    log.records().removal(partition.queue(), slots.sequence(slot), slots.hash(slot), home);
    segments.removal(log.segment(), home);
  }

  void writeState(int slot, MessageState state, byte[] history) {
    long location = log.nextLocation();
    int before = log.records().size();
    log.records().state(partition.queue(), state, history);
    int length = log.records().size() - before;
    setRecord(slot, location, length);
  }

  /** Sets the location of a message's latest state record. */
  void setRecord(int slot, long location, int length) {
    if (slots.hasRecord(slot)) {
      segments.of(Location.file(records.location(slot))).live(-records.length(slot));
    }
    records.put(slot, location, length);
    slots.hasRecord(slot, true);
    segments.of(Location.file(location)).live(length);
  }

  /** The number of the segment that has a message's record. */
  int home(int slot) {
    return segments.of(Location.file(slots.location(slot))).header().first();
  }

  /** Counts the records of a message as needed ({@code sign} 1) or no longer needed (-1). */
  void live(int slot, int sign) {
    segments.of(Location.file(slots.location(slot))).live(sign * slots.length(slot));
    if (slots.hasRecord(slot)) {
      segments.of(Location.file(records.location(slot))).live(sign * records.length(slot));
    }
  }
}
