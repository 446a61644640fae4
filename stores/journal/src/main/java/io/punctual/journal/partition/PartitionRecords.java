package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.internal.log.Logs;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.MessageRecord;
import io.punctual.journal.format.RecordReader;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.NearReads;
import io.punctual.journal.log.ReadMessage;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.report.JournalDamagedException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reads the records of a queue's messages, by slot. For a damaged or unreadable record, most
 * methods throw a {@link JournalDamagedException}, so that a caller can skip the message and
 * continue. For the journal's thread alone.
 */
final class PartitionRecords {
  private static final Logger log = Logs.of(PartitionRecords.class);
  private static final long WARNING_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);
  private final PartitionState partition;
  private final RecordLog journal;
  private long warnedNanos = System.nanoTime() - WARNING_PAUSE_NANOS;
  private int silent;

  PartitionRecords(PartitionState partition, RecordLog journal) {
    this.partition = partition;
    this.journal = journal;
  }

  /**
   * Reads a message's id without its payload. The id is valid if its hash and the message's
   * sequence number are as expected, even if the rest of the record is damaged.
   *
   * @throws JournalDamagedException if the id is damaged or can't be read
   */
  String id(int slot) {
    SlotTable slots = partition.slots();
    if (slots.place(slot) == Place.LEASED) {
      return partition.lease(slot).id;
    }
    int length = Math.min(slots.length(slot), MessageRecord.HEAD);
    String id = trustedId(slot, new MessageRecord(journal.read(slots.location(slot), length)));
    if (id == null) {
      throw damaged(slot);
    }
    return id;
  }

  /** Returns the id in a message's record, or null if the id is damaged. */
  @Nullable String trustedId(int slot, MessageRecord record) {
    SlotTable slots = partition.slots();
    return record.trustedId(slots.hash(slot), partition.hashSeed(), slots.sequence(slot));
  }

  ReadMessage message(int slot) {
    MessageRecord kept = partition.isMarked(slot) ? partition.lease(slot).kept : null;
    return kept == null ? messages(new int[] {slot})[0] : ReadMessage.of(kept);
  }

  /**
   * Reads the records of messages from the journal. No message may be marked as cancelled, because
   * the journal may no longer have its record.
   */
  ReadMessage[] messages(int[] slots) {
    long[] locations = new long[slots.length];
    int[] lengths = new int[slots.length];
    for (int i = 0; i < slots.length; i++) {
      locations[i] = partition.slots().location(slots[i]);
      lengths[i] = partition.slots().length(slots[i]);
    }
    return NearReads.of(journal, locations, lengths);
  }

  /**
   * Returns the record of a message after verifying it.
   *
   * @throws JournalDamagedException if the record could not be read, or is damaged
   */
  MessageRecord intact(int slot, ReadMessage read) {
    MessageRecord record = read.orThrow();
    if (!record.isIntact() || !record.isOf(partition.slots().sequence(slot))) {
      throw damaged(slot);
    }
    return record;
  }

  /** Reads the state record of a message. Returns null if it has none. */
  @Nullable StateRecord state(int slot) {
    if (!partition.slots().hasRecord(slot)) {
      return null;
    }
    long location = partition.records().location(slot);
    ByteBuffer record = journal.read(location, partition.records().length(slot));
    if (RecordReader.isIntact(record)) {
      StateRecord state = StateRecord.of(record);
      if (state.state().sequence() == partition.slots().sequence(slot)) {
        return state;
      }
    }
    throw damagedAt(location);
  }

  byte[] history(int slot) {
    if (partition.isMarked(slot)) {
      return partition.lease(slot).keptHistory;
    }
    return StateRecord.history(state(slot));
  }

  /** Logs that a message has no readable id, at most once in 10 minutes for each queue. */
  void warn(JournalDamagedException damage) {
    long now = System.nanoTime();
    if (now - warnedNanos < WARNING_PAUSE_NANOS) {
      silent++;
      return;
    }
    log.error(
        "A message of queue '{}' has no readable id and can't be delivered; it stays in the journal"
            + " and is tried again in {} minutes ({} more since the last such line). {}",
        partition.name(),
        TimeUnit.NANOSECONDS.toMinutes(WARNING_PAUSE_NANOS),
        silent,
        damage.getMessage());
    warnedNanos = now;
    silent = 0;
  }

  JournalDamagedException damaged(int slot) {
    return damagedAt(partition.slots().location(slot));
  }

  private static JournalDamagedException damagedAt(long location) {
    return new JournalDamagedException(
        FileNames.segment(Location.file(location)),
        Location.offset(location),
        "the checksum of a record is wrong");
  }
}
