package io.punctual.journal.partition;

import io.punctual.embedded.Place;
import io.punctual.embedded.Purges;
import io.punctual.embedded.Slots;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.DueOrder;
import io.punctual.journal.index.IdTable;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.Leases;
import io.punctual.journal.index.RecordTable;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.Arrivals;
import io.punctual.journal.log.Log;
import io.punctual.journal.log.Segments;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The index of a queue: its messages, each in one {@link Place}, by slot, by id and in the order of
 * their times. {@link Moves} change it along with the journal, and a start restores it from the
 * records of the journal. For the journal's thread alone.
 */
public final class PartitionState implements Arrivals.Queue, Slots {
  private final String name;
  private final Partitions partitions;
  private final Log appendLog;
  private final Segments segments;
  private final SlotTable slots = new SlotTable();
  private final IdTable ids = new IdTable(slots);
  private final RecordTable records = new RecordTable();
  private final PartitionRecords reads;
  private final RecordStore store;
  private final Moves moves;
  private final DueOrder due;
  private final Leases leases;
  private final Purges purges = new Purges();

  /** The queue's number in the journal, or 0 while it has none. */
  private int queue;

  private boolean paused;
  private Runnable hint = () -> {};

  PartitionState(
      String name, Partitions partitions, Log appendLog, Segments segments, long nowMillis) {
    this.name = name;
    this.partitions = partitions;
    this.appendLog = appendLog;
    this.segments = segments;
    reads = new PartitionRecords(this, appendLog);
    store = new RecordStore(this, appendLog, segments);
    moves = new Moves(this, appendLog, segments);
    due = new DueOrder(nowMillis);
    leases = new Leases(nowMillis);
  }

  String name() {
    return name;
  }

  int queue() {
    return queue;
  }

  void queue(int number) {
    queue = number;
  }

  public SlotTable slots() {
    return slots;
  }

  IdTable ids() {
    return ids;
  }

  Leases leases() {
    return leases;
  }

  /** Writes the records of messages, and counts their bytes. */
  public RecordStore store() {
    return store;
  }

  public RecordTable records() {
    return records;
  }

  Moves moves() {
    return moves;
  }

  Purges purges() {
    return purges;
  }

  PartitionRecords reads() {
    return reads;
  }

  DueOrder due() {
    return due;
  }

  long hashSeed() {
    return partitions.hashSeed();
  }

  /** Begins a new file of attempts, with the attempts of current leases. */
  void rotateAttempts() throws IOException {
    partitions.rotateAttempts();
  }

  public boolean isPaused() {
    return paused;
  }

  /** Prepares the searches for the ids of these operations. */
  void expect(List<Prepared> those) {
    those.forEach(one -> ids.expect(one.id().hash()));
  }

  /**
   * The slot of the message with this id, or {@link SlotTable#NONE}.
   *
   * @throws JournalDamagedException if a message with an unreadable id may be the wanted message
   */
  int find(Id id) {
    JournalDamagedException damage = null;
    IdTable.Matches matches = ids.matches(id.hash());
    for (int slot = matches.next(); slot != SlotTable.NONE; slot = matches.next()) {
      try {
        if (reads.id(slot).equals(id.text())) {
          return slot;
        }
      } catch (JournalDamagedException e) {
        damage = e;
      }
    }
    if (damage != null) {
      throw damage;
    }
    return SlotTable.NONE;
  }

  /** The lease of the message with this id, or null; never reads a file. */
  @Nullable Lease findLease(Id id) {
    IdTable.Matches matches = ids.matches(id.hash());
    for (int slot = matches.next(); slot != SlotTable.NONE; slot = matches.next()) {
      if (slots.place(slot) == Place.LEASED && lease(slot).id.equals(id.text())) {
        return lease(slot);
      }
    }
    return null;
  }

  Lease lease(int slot) {
    return leases.get(slots.number(slot));
  }

  @Override
  public Place place(int slot) {
    return slots.place(slot);
  }

  @Override
  public long time(int slot) {
    return slots.place(slot) == Place.LEASED ? leases.untilMillis(lease(slot)) : due.millis(slot);
  }

  int attempts(int slot) {
    return slots.place(slot) == Place.LEASED ? lease(slot).attempt : slots.number(slot);
  }

  /** When there is next something to claim, or {@link Long#MAX_VALUE}. */
  long earliest() {
    return paused ? Long.MAX_VALUE : Math.min(leases.earliest(), due.earliest());
  }

  void pause(boolean pause) {
    define();
    appendLog.records().paused(queue, pause);
    appendLog.added();
    paused = pause;
  }

  /** Restores the pause from a record. */
  public void wasPaused(boolean wasPaused) {
    paused = wasPaused;
  }

  /** Takes up a waiting message, with its record; it is not claimable yet. */
  int enter(long sequence, int hash, long dueMillis, long location, int length) {
    int slot = slots.add(location, length, sequence, hash);
    ids.add(slot);
    segments.of(Location.file(location)).live(length);
    due.set(slot, dueMillis);
    purges.arrived(slot);
    return slot;
  }

  /** Moves a message to the waiting messages or to the dead letters. */
  void put(int slot, Place place, int attempts, long millis) {
    leave(slot);
    slots.place(slot, place, attempts);
    due.set(slot, millis);
  }

  /** Whether a message is leased and will not come back; the journal has its removal already. */
  public boolean isMarked(int slot) {
    return slots.place(slot) == Place.LEASED && lease(slot).cancelled;
  }

  /** Takes a message out of the index; its record stays in its file, where it is garbage. */
  void forget(int slot) {
    if (!isMarked(slot)) {
      store.live(slot, -1);
    }
    leave(slot);
    ids.remove(slot);
    if (slots.hasRecord(slot)) {
      records.remove(slot);
    }
    slots.free(slot);
  }

  private void leave(int slot) {
    if (slots.place(slot) == Place.LEASED) {
      leases.remove(lease(slot));
    } else {
      due.remove(slot);
    }
  }

  /** Leases a message that was taken out of its order. */
  void lease(Lease lease, long untilMillis) {
    leases.add(lease, untilMillis);
    slots.place(lease.slot, Place.LEASED, lease.index);
    purges.arrived(lease.slot);
  }

  /**
   * Postpones a due message whose id can't be read, in memory only: the disk may read it later, and
   * the messages behind it must not wait.
   */
  void setAside(int slot, long untilMillis, JournalDamagedException damage) {
    due.set(slot, untilMillis);
    due.add(slot);
    reads.warn(damage);
  }

  /** Makes a waiting message claimable; returns whether that lowered the earliest time. */
  @Override
  public boolean arrive(int slot, long sequence, long dueMillis) {
    if (slots.sequence(slot) != sequence
        || slots.place(slot) != Place.WAITING
        || due.holds(slot)
        || due.millis(slot) != dueMillis) {
      return false;
    }
    long before = earliest();
    due.add(slot);
    return dueMillis < before && !paused;
  }

  /** Sets the action that notifies the listeners. */
  void onHint(Runnable tell) {
    hint = tell;
  }

  /** Notifies the listeners how long it is until the next claimable message. */
  @Override
  public void hint() {
    hint.run();
  }

  /** Brings back a waiting message that a record tells of; it is not claimable yet. */
  public void restore(long sequence, int hash, long dueMillis, long location, int length) {
    enter(sequence, hash, dueMillis, location, length);
  }

  /** Restores a state record if its message is there. */
  public void restore(MessageState state, long location, int length) {
    int slot = numbered(state.sequence(), state.hash());
    if (slot == SlotTable.NONE) {
      return;
    }
    store.setRecord(slot, location, length);
    slots.place(slot, state.isDead() ? Place.DEAD : Place.WAITING, state.attempts());
    due.set(slot, state.isDead() ? state.diedAtMillis() : state.dueMillis());
  }

  /** Forgets the message with this number, if it is there. */
  public void restoreRemoval(long sequence, int hash) {
    int slot = numbered(sequence, hash);
    if (slot != SlotTable.NONE) {
      forget(slot);
    }
  }

  /** Makes all that waits claimable, once everything has been brought back. */
  void restored() {
    for (int slot = 0; slot < slots.end(); slot++) {
      if (slots.place(slot) == Place.WAITING && !due.holds(slot)) {
        due.add(slot);
      }
    }
  }

  /** The slot of the message with this number, or {@link SlotTable#NONE}; reads no file. */
  public int numbered(long sequence, int hash) {
    IdTable.Matches matches = ids.matches(hash);
    int slot = matches.next();
    while (slot != SlotTable.NONE && slots.sequence(slot) != sequence) {
      slot = matches.next();
    }
    return slot;
  }

  /** Writes the queue's number into the journal, unless it is there. */
  void define() {
    if (queue == 0 || partitions.revive(queue)) {
      queue = queue == 0 ? partitions.newNumber(this) : queue;
      int before = appendLog.records().size();
      appendLog.records().queue(queue, name.getBytes(StandardCharsets.UTF_8));
      appendLog.segment().named(appendLog.records().size() - before);
    }
  }
}
