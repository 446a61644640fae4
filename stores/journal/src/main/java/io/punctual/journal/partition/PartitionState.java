package io.punctual.journal.partition;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
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
import io.punctual.journal.index.SlotHeap;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.log.Arrivals;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segments;
import io.punctual.journal.report.JournalDamagedException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The index of a queue: its messages by slot, by id and in the order of their times. Each message
 * is in one {@link Place}. {@link Moves} changes the index together with the journal, and a start
 * restores the index from the journal's records. For the journal's thread alone.
 */
public final class PartitionState implements Arrivals.Queue, Slots {
  private static final int FINISHED_SLACK = 64;

  private final String name;
  private final Partitions partitions;
  private final RecordLog appendLog;
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

  /** The remembered ids of finished messages, in the order in which they are forgotten. */
  private final SlotHeap finished;

  /** The queue's number in the journal, or 0 if it has none. */
  private int queue;

  private final QueueSettings settings;

  private boolean kept;
  private Runnable hint = () -> {};

  PartitionState(
      String name, Partitions partitions, RecordLog appendLog, Segments segments, long nowMillis) {
    this.name = name;
    this.partitions = partitions;
    this.appendLog = appendLog;
    this.segments = segments;
    settings = new QueueSettings(nowMillis);
    reads = new PartitionRecords(this, appendLog);
    store = new RecordStore(this, appendLog, segments);
    moves = new Moves(this, appendLog, segments);
    due = new DueOrder(nowMillis);
    finished = new SlotHeap(due::millis, FINISHED_SLACK);
    leases = new Leases(nowMillis);
  }

  String name() {
    return name;
  }

  int queue() {
    return queue;
  }

  void queue(int number) {
    kept &= queue == number;
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

  /** Returns the writer of state records and removals. */
  public RecordStore store() {
    return store;
  }

  public RecordTable records() {
    return records;
  }

  Moves moves() {
    return moves;
  }

  SlotHeap finished() {
    return finished;
  }

  /** Keeps this state in memory while it has messages, remembered ids, a pause or limits. */
  public void keepOrDrop() {
    boolean keep = slots.size() > 0 || settings.isSet();
    if (keep != kept) {
      kept = keep;
      partitions.keep(queue, keep ? this : null);
    }
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

  /** Begins a new file of attempts, which starts with the attempts of the current leases. */
  void rotateAttempts() {
    partitions.rotateAttempts();
  }

  public QueueSettings settings() {
    return settings;
  }

  /**
   * Loads the index entries for the ids of these operations into the processor's cache, so that the
   * later searches are fast.
   */
  void expect(List<Prepared> those) {
    those.forEach(one -> ids.expect(one.id().hash()));
  }

  /**
   * Returns the slot of the message with an id, or {@link SlotTable#NONE}.
   *
   * @throws JournalDamagedException if no message has the id, but a message whose id can't be read
   *     has the same hash
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

  /**
   * Returns the lease of the message with an id, or null if no leased message has the id. Reads no
   * file.
   */
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

  /**
   * The earliest time at which a message can be claimed, or an earlier time; {@link Long#MAX_VALUE}
   * if there is no such time, for example during a pause.
   */
  long earliest() {
    return settings.isPaused()
        ? Long.MAX_VALUE
        : settings.limits().earliest(leases.earliest(), due.earliest(), leases.size());
  }

  void limit(QueueLimits limits) {
    define();
    settings.limit(queue, limits, appendLog);
    keepOrDrop();
  }

  void pause(boolean pause, PauseNote note) {
    define();
    settings.pause(queue, pause, note, appendLog);
    keepOrDrop();
  }

  /** Adds a waiting message with the location of its record. The message is not claimable yet. */
  int enter(long sequence, int hash, long dueMillis, long location, int length) {
    int slot = slots.add(location, length, sequence, hash);
    ids.add(slot);
    segments.of(Location.file(location)).live(length);
    due.set(slot, dueMillis);
    purges.arrived(slot);
    keepOrDrop();
    return slot;
  }

  /** Moves a message to the waiting messages, the dead letters or the remembered ids. */
  void put(int slot, Place place, int attempts, long millis) {
    leave(slot);
    slots.place(slot, place, attempts);
    due.set(slot, millis);
    if (place == Place.FINISHED) {
      finished.add(slot);
    }
  }

  /** Whether a leased message was cancelled. The journal has its removal already. */
  public boolean isMarked(int slot) {
    return slots.place(slot) == Place.LEASED && lease(slot).cancelled;
  }

  /** Removes a message from the index. Its record remains in its file, and is no longer needed. */
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
    keepOrDrop();
  }

  private void leave(int slot) {
    if (slots.place(slot) == Place.LEASED) {
      leases.remove(lease(slot));
    } else if (!finished.remove(slot)) {
      due.remove(slot);
    }
  }

  /** Leases a message that is neither in the order of due times nor in the order of leases. */
  void lease(Lease lease, long untilMillis) {
    leases.add(lease, untilMillis);
    slots.place(lease.slot, Place.LEASED, lease.index);
    purges.arrived(lease.slot);
  }

  /**
   * Postpones a due message whose id can't be read, so that later messages can be claimed. The new
   * time is only in memory; the disk may be able to read the message at a later attempt.
   */
  void setAside(int slot, long untilMillis, JournalDamagedException damage) {
    due.set(slot, untilMillis);
    due.add(slot);
    reads.warn(damage);
  }

  /**
   * Makes a waiting message claimable, unless it was removed or changed since. Returns whether the
   * earliest time became lower.
   */
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
    return earliest() < before;
  }

  /** Sets the action that {@link #hint} runs to notify the listeners. */
  void onHint(Runnable tell) {
    hint = tell;
  }

  /** Sends the listeners the time until the next message can be claimed. */
  @Override
  public void hint() {
    hint.run();
  }

  /**
   * Restores a waiting message from its record. The message is not claimable before {@link
   * #restored}.
   */
  public void restore(long sequence, int hash, long dueMillis, long location, int length) {
    enter(sequence, hash, dueMillis, location, length);
  }

  /**
   * Restores the state of a message from a state record; has no effect if the message is absent.
   */
  public void restore(MessageState state, long location, int length) {
    int slot = numbered(state.sequence(), state.hash());
    if (slot == SlotTable.NONE) {
      return;
    }
    store.setRecord(slot, location, length);
    slots.place(slot, state.place(), state.attempts());
    due.set(slot, state.time());
  }

  /** Restores a removal: removes the message with this sequence number, if it is present. */
  public void restoreRemoval(long sequence, int hash) {
    int slot = numbered(sequence, hash);
    if (slot != SlotTable.NONE) {
      forget(slot);
    }
  }

  /**
   * Makes all waiting messages claimable, and orders the remembered ids. Called once all records
   * have been restored.
   */
  void restored() {
    for (int slot = 0; slot < slots.end(); slot++) {
      if (slots.place(slot) == Place.WAITING && !due.holds(slot)) {
        due.add(slot);
      } else if (slots.place(slot) == Place.FINISHED) {
        finished.add(slot);
      }
    }
  }

  /**
   * Returns the slot of the message with this sequence number, whose id has this hash, or {@link
   * SlotTable#NONE}. Reads no file.
   */
  public int numbered(long sequence, int hash) {
    IdTable.Matches matches = ids.matches(hash);
    int slot = matches.next();
    while (slot != SlotTable.NONE && slots.sequence(slot) != sequence) {
      slot = matches.next();
    }
    return slot;
  }

  /**
   * Gives the queue a number if it has none. Writes the number and the name into the journal if the
   * number is new or the queue was deleted.
   */
  void define() {
    if (queue == 0 || partitions.revive(queue)) {
      queue = queue == 0 ? partitions.newNumber(this) : queue;
      int before = appendLog.records().size();
      appendLog.records().queue(queue, name.getBytes(StandardCharsets.UTF_8));
      appendLog.segment().named(appendLog.records().size() - before);
    }
  }
}
