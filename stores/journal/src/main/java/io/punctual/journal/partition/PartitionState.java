package io.punctual.journal.partition;

import io.punctual.journal.format.Id;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.DueOrder;
import io.punctual.journal.index.IdTable;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.Leases;
import io.punctual.journal.index.Place;
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
 * The messages of a queue, each in one {@link Place}, and the moves between places: every move that
 * has to outlive the process adds its record to the journal here. Which move is made when stands in
 * {@link Changes}, {@link Settlements} and {@link Claims}. A move reads before it writes, so that a
 * {@link JournalDamagedException} means that nothing was changed. For the engine's thread alone.
 *
 * <p>A waiting message can be claimed once the record that made it wait is safe: only then does it
 * enter the order of due times.
 */
public final class PartitionState implements Arrivals.Queue {
  private final String name;
  private final Partitions partitions;
  private final Log appendLog;
  private final Segments segments;
  private final SlotTable slots = new SlotTable();
  private final IdTable ids = new IdTable(slots);
  private final RecordTable records = new RecordTable();
  private final PartitionRecords reads;
  private final RecordStore store;
  private final DueOrder due;
  private final Leases leases;

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

  PartitionRecords reads() {
    return reads;
  }

  DueOrder due() {
    return due;
  }

  long hashSeed() {
    return partitions.hashSeed();
  }

  /** Begins a new file of attempts, with those that count. */
  void rotateAttempts() throws IOException {
    partitions.rotateAttempts();
  }

  boolean isPaused() {
    return paused;
  }

  /** Says that these will be looked for next. */
  void expect(List<Prepared> those) {
    those.forEach(one -> ids.expect(one.id().hash()));
  }

  /**
   * The slot of the message with this id, or {@link SlotTable#NONE}.
   *
   * @throws JournalDamagedException if the message may be one whose id can't be read
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

  /** When a waiting message is due, a lease ends, or a dead letter died. */
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

  /** Sets what a record that was read says. */
  public void wasPaused(boolean wasPaused) {
    paused = wasPaused;
  }

  void add(Id id, byte[] content, long dueMillis) {
    define();
    long sequence = appendLog.newSequence();
    long location = appendLog.nextLocation();
    int before = appendLog.records().size();
    appendLog.records().message(queue, sequence, dueMillis, id, content);
    enter(id, sequence, location, appendLog.records().size() - before, dueMillis);
  }

  /** Puts another message with the same id in the place of one. */
  void replace(int slot, Id id, byte[] content, long dueMillis) {
    if (isMarked(slot)) {
      forget(slot);
      add(id, content, dueMillis);
      return;
    }
    long sequence = appendLog.newSequence();
    long location = appendLog.nextLocation();
    int before = appendLog.records().size();
    int home = store.home(slot);
    appendLog
        .records()
        .replacement(queue, sequence, dueMillis, id, content, slots.sequence(slot), home);
    segments.removal(appendLog.segment(), home);
    int length = appendLog.records().size() - before;
    forget(slot);
    enter(id, sequence, location, length, dueMillis);
  }

  private void enter(Id id, long sequence, long location, int length, long dueMillis) {
    int slot = slots.add(location, length, sequence, id.hash());
    ids.add(slot);
    segments.of(Location.file(location)).live(length);
    due.set(slot, dueMillis);
    appendLog.arrivals().add(this, slot, sequence, dueMillis);
    appendLog.added();
  }

  /** Has a message that waits, was leased or is dead wait, for a new time. */
  void makeWait(int slot, long dueMillis, int attempts, long token, byte[] history) {
    store.writeState(
        slot,
        new MessageState(
            slots.sequence(slot), slots.hash(slot), false, dueMillis, 0, attempts, token),
        history);
    leave(slot);
    slots.place(slot, Place.WAITING, attempts);
    due.set(slot, dueMillis);
    appendLog.arrivals().add(this, slot, slots.sequence(slot), dueMillis);
    appendLog.added();
  }

  /** Moves a waiting message in time. */
  void move(int slot, long dueMillis) {
    StateRecord state = reads.state(slot);
    makeWait(
        slot, dueMillis, slots.number(slot), StateRecord.token(state), StateRecord.history(state));
  }

  void bury(int slot, long diedAtMillis, byte[] history) {
    Lease lease = lease(slot);
    store.writeState(
        slot,
        new MessageState(
            slots.sequence(slot),
            slots.hash(slot),
            true,
            lease.dueMillis,
            diedAtMillis,
            lease.attempt,
            lease.token),
        history);
    leave(slot);
    slots.place(slot, Place.DEAD, lease.attempt);
    due.set(slot, diedAtMillis);
    appendLog.added();
  }

  /** Removes a message for good. */
  void remove(int slot) {
    if (!isMarked(slot)) {
      store.writeRemoval(slot);
    }
    forget(slot);
    appendLog.added();
  }

  /** Marks a leased message: it will not come back. */
  void mark(Lease lease) {
    if (!lease.cancelled) {
      byte[] history = reads.history(lease.slot);
      lease.kept = reads.message(lease.slot).orThrow();
      lease.keptHistory = history;
      store.writeRemoval(lease.slot);
      lease.cancelled = true;
      store.live(lease.slot, -1);
      appendLog.added();
    }
  }

  /** Whether a message is leased and will not come back; the journal has its removal already. */
  public boolean isMarked(int slot) {
    return slots.place(slot) == Place.LEASED && lease(slot).cancelled;
  }

  /** Takes a message out of the index; its record stays where it is, needed by nobody. */
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
  }

  /**
   * Puts off a due message whose id can't be read, in memory alone: the disk may answer later, and
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

  /** Sets what tells the listeners. */
  void onHint(Runnable tell) {
    hint = tell;
  }

  /** Tells the listeners how long until there is something to claim. */
  @Override
  public void hint() {
    hint.run();
  }

  /** Brings back a waiting message that a record tells of; it is not claimable yet. */
  public void restore(long sequence, int hash, long dueMillis, long location, int length) {
    int slot = slots.add(location, length, sequence, hash);
    ids.add(slot);
    segments.of(Location.file(location)).live(length);
    due.set(slot, dueMillis);
  }

  /** Brings back what a state record says, if its message is there. */
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
  public void restored() {
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

  private void define() {
    if (queue == 0 || partitions.revive(queue)) {
      queue = queue == 0 ? partitions.newNumber(this) : queue;
      int before = appendLog.records().size();
      appendLog.records().queue(queue, name.getBytes(StandardCharsets.UTF_8));
      appendLog.segment().named(appendLog.records().size() - before);
    }
  }
}
