package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segments;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Operation;

/**
 * The changes of a queue's messages, with their records in the journal. A change reads the records
 * that it needs before it writes records or changes the index. A {@link JournalDamagedException}
 * therefore means that nothing was changed. For the journal's thread alone.
 *
 * <p>A message that waits after a change becomes claimable once its records are as safe as the
 * option {@code fsync} demands. The message enters the order of due times at that moment.
 */
final class Moves {
  private final PartitionState partition;
  private final RecordLog log;
  private final Segments segments;
  private final SlotTable slots;
  private final RecordStore store;

  Moves(PartitionState partition, RecordLog log, Segments segments) {
    this.partition = partition;
    this.log = log;
    this.segments = segments;
    slots = partition.slots();
    store = partition.store();
  }

  void add(Prepared operation, long dueMillis) {
    int slot = write(operation, dueMillis);
    log.arrivals().add(partition, slot, slots.sequence(slot), dueMillis);
    log.added();
  }

  /** Writes the record of a new message, and adds the message to the index. */
  private int write(Prepared operation, long dueMillis) {
    partition.define();
    long sequence = log.newSequence();
    long location = log.nextLocation();
    int before = log.records().size();
    log.records()
        .message(partition.queue(), sequence, dueMillis, operation.id(), operation.content());
    int length = log.records().size() - before;
    return partition.enter(sequence, operation.id().hash(), dueMillis, location, length);
  }

  /**
   * Adds a restored message together with its state. The records of both are in the same frame, so
   * a start finds both or neither.
   */
  void restore(Prepared operation, Operation.Restore asked) {
    int slot = write(operation, asked.dueMillis());
    MessageState state =
        new MessageState(
            slots.sequence(slot),
            slots.hash(slot),
            asked.isDead() ? Place.DEAD : Place.WAITING,
            asked.dueMillis(),
            asked.diedAtMillis(),
            asked.attempts(),
            0);
    store.writeState(slot, state, asked.history());
    if (asked.isDead()) {
      partition.put(slot, Place.DEAD, asked.attempts(), asked.diedAtMillis());
    } else {
      partition.put(slot, Place.WAITING, asked.attempts(), asked.dueMillis());
      log.arrivals().add(partition, slot, state.sequence(), asked.dueMillis());
    }
    log.added();
  }

  /** Replaces a message with a new message of the same id. */
  void replace(int slot, Prepared operation, long dueMillis) {
    int next = writeNext(slot, operation, dueMillis);
    log.arrivals().add(partition, next, slots.sequence(next), dueMillis);
    log.added();
  }

  /**
   * Replaces a message by its remembered id: a record without content, and a state in the same
   * frame, so that a start finds both or neither.
   */
  void finish(int slot, Prepared operation, long untilMillis) {
    enterDone(writeNext(slot, operation.withoutContent(), untilMillis), untilMillis);
  }

  /** Adds the id of a finished message: a record without content, and a state in the same frame. */
  void remember(Prepared operation, long untilMillis) {
    enterDone(write(operation, untilMillis), untilMillis);
  }

  private void enterDone(int next, long untilMillis) {
    MessageState state =
        new MessageState(
            slots.sequence(next), slots.hash(next), Place.FINISHED, untilMillis, 0, 0, 0);
    store.writeState(next, state, MessageState.NO_HISTORY);
    partition.put(next, Place.FINISHED, 0, untilMillis);
    log.added();
  }

  /** Writes the record of a message that replaces a message, and returns the new slot. */
  private int writeNext(int slot, Prepared operation, long dueMillis) {
    if (partition.isMarked(slot)) {
      partition.forget(slot);
      return write(operation, dueMillis);
    }
    long sequence = log.newSequence();
    long location = log.nextLocation();
    int before = log.records().size();
    int home = store.home(slot);
    log.records()
        .replacement(
            partition.queue(),
            sequence,
            dueMillis,
            operation.id(),
            operation.content(),
            slots.sequence(slot),
            home);
    segments.removal(log.segment(), home);
    int length = log.records().size() - before;
    partition.forget(slot);
    return partition.enter(sequence, operation.id().hash(), dueMillis, location, length);
  }

  /**
   * Makes a message wait until {@code dueMillis}. The message may be waiting, leased or dead
   * before.
   */
  void makeWait(int slot, long dueMillis, int attempts, long token, byte[] history) {
    long sequence = slots.sequence(slot);
    store.writeState(
        slot,
        new MessageState(sequence, slots.hash(slot), Place.WAITING, dueMillis, 0, attempts, token),
        history);
    partition.put(slot, Place.WAITING, attempts, dueMillis);
    log.arrivals().add(partition, slot, sequence, dueMillis);
    log.added();
  }

  void bury(Lease lease, long diedAtMillis, byte[] history) {
    int slot = lease.slot;
    store.writeState(
        slot,
        new MessageState(
            slots.sequence(slot),
            slots.hash(slot),
            Place.DEAD,
            lease.dueMillis,
            diedAtMillis,
            lease.attempt,
            lease.token),
        history);
    partition.put(slot, Place.DEAD, lease.attempt, diedAtMillis);
    log.added();
  }

  /** Removes a message, and writes its removal unless the journal has it already. */
  void remove(int slot) {
    if (!partition.isMarked(slot)) {
      store.writeRemoval(slot);
    }
    partition.forget(slot);
    log.added();
  }

  /**
   * Marks a leased message as cancelled, and writes its removal. Compaction may then delete the
   * record, so the lease keeps the record in memory.
   */
  void mark(Lease lease) {
    if (!lease.cancelled) {
      byte[] history = partition.reads().history(lease.slot);
      lease.kept = partition.reads().message(lease.slot).orThrow();
      lease.keptHistory = history;
      store.writeRemoval(lease.slot);
      lease.cancelled = true;
      store.live(lease.slot, -1);
      log.added();
    }
  }
}
