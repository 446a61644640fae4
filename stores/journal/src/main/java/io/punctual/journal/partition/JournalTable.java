package io.punctual.journal.partition;

import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.PageSearch;
import io.punctual.embedded.PartitionTable;
import io.punctual.embedded.Place;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.IdTable;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a queue by slot, as the rules and searches of {@code io.punctual.embedded} use
 * them. Most methods throw a {@link JournalDamagedException} if they read a damaged record. For the
 * journal's thread alone.
 */
final class JournalTable
    implements PartitionTable<Prepared>, ClaimSelection.Claimable, PageSearch.Messages<Long> {
  /** Stands for an id that can't be read, or whose message has left the slot. */
  private static final String UNKNOWN = "";

  private final PartitionState partition;
  private final SlotTable slots;
  private final Moves moves;
  private final Space space;

  JournalTable(PartitionState partition, Space space) {
    this.partition = partition;
    this.slots = partition.slots();
    this.moves = partition.moves();
    this.space = space;
  }

  @Override
  public int find(Prepared operation) {
    return partition.find(operation.id());
  }

  @Override
  public int findLeased(Prepared operation) {
    Lease lease = partition.findLease(operation.id());
    return lease == null ? NONE : lease.slot;
  }

  @Override
  public Place place(int slot) {
    return slots.place(slot);
  }

  @Override
  public long time(int slot) {
    return partition.time(slot);
  }

  @Override
  public long dueMillis(int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> partition.lease(slot).dueMillis;
      case DEAD -> {
        StateRecord state = partition.reads().state(slot);
        yield state == null ? partition.time(slot) : state.state().dueMillis();
      }
      case WAITING, FINISHED, FREE -> partition.time(slot);
    };
  }

  @Override
  public long token(int slot) {
    return partition.lease(slot).token;
  }

  @Override
  public boolean isCancelled(int slot) {
    return partition.isMarked(slot);
  }

  @Override
  public Outcome.@Nullable Full whyFull(int slot) {
    if (space.isLow()) {
      return new Outcome.Full(
          "Fewer than "
              + (space.minFreeBytes() >> 20)
              + " MiB are left on the disk of the journal; claims, settlements and cancels"
              + " continue. Free some space, and schedules are accepted again");
    }
    String obstacle = space.obstacle();
    if (!obstacle.isEmpty()) {
      return new Outcome.Full(
          "The journal can't be written at the moment, and tries again: "
              + obstacle
              + ". Once it can be written, schedules are accepted again");
    }
    if (slot == NONE && slots.size() >= IdTable.MAX_SLOTS - 1) {
      return new Outcome.Full(
          "The queue has " + slots.size() + " messages, the maximum for a queue of a journal");
    }
    return null;
  }

  @Override
  public void add(Prepared operation, long dueMillis) {
    moves.add(operation, dueMillis);
  }

  @Override
  public void restore(Prepared operation, Operation.Restore asked) {
    moves.restore(operation, asked);
  }

  @Override
  public void remember(Prepared operation, long untilMillis) {
    moves.remember(operation, untilMillis);
  }

  @Override
  public void replace(int slot, Prepared operation, long dueMillis) {
    moves.replace(slot, operation, dueMillis);
  }

  @Override
  public void move(int slot, long dueMillis) {
    StateRecord state = partition.reads().state(slot);
    moves.makeWait(
        slot, dueMillis, slots.number(slot), StateRecord.token(state), StateRecord.history(state));
  }

  @Override
  public void markCancelled(int slot) {
    moves.mark(partition.lease(slot));
  }

  @Override
  public void extend(int slot, long untilMillis) {
    partition.leases().extend(partition.lease(slot), untilMillis);
  }

  @Override
  public void retry(int slot, long dueMillis, byte[] history) {
    Lease lease = partition.lease(slot);
    moves.makeWait(slot, dueMillis, lease.attempt, lease.token, history);
    partition.purges().arrived(slot);
  }

  @Override
  public void release(int slot, long dueMillis) {
    Lease lease = partition.lease(slot);
    byte[] history = partition.reads().history(slot);
    moves.makeWait(slot, dueMillis, lease.attempt - 1, lease.token, history);
    partition.purges().arrived(slot);
  }

  @Override
  public void bury(int slot, long nowMillis, byte[] history) {
    moves.bury(partition.lease(slot), nowMillis, history);
    partition.purges().arrived(slot);
  }

  @Override
  public void finish(int slot, Prepared operation, long untilMillis) {
    moves.finish(slot, operation, untilMillis);
  }

  @Override
  public int firstForgotten(long nowMillis) {
    return partition.finished().first(nowMillis);
  }

  @Override
  public void restart(int slot, long dueMillis) {
    long token =
        slots.place(slot) == Place.LEASED
            ? partition.lease(slot).token
            : StateRecord.token(partition.reads().state(slot));
    moves.makeWait(slot, dueMillis, 0, token, MessageState.NO_HISTORY);
    partition.purges().arrived(slot);
  }

  @Override
  public void remove(int slot) {
    moves.remove(slot);
  }

  @Override
  public boolean isPaused() {
    return partition.settings().isPaused();
  }

  @Override
  public ClaimLimits limits() {
    return partition.settings().limits();
  }

  @Override
  public int leased() {
    return partition.leases().size();
  }

  @Override
  public int firstExpired(long nowMillis) {
    Lease expired = partition.leases().firstExpired(nowMillis);
    return expired == null ? NONE : expired.slot;
  }

  @Override
  public int firstDue(long nowMillis) {
    return partition.due().first(nowMillis);
  }

  @Override
  public int bytes(int slot) {
    return slots.length(slot);
  }

  /** Returns the sequence number of the message. */
  @Override
  public Long message(int slot) {
    return slots.sequence(slot);
  }

  @Override
  public String id(int slot, Long sequence) {
    try {
      return slots.sequence(slot) == sequence ? partition.reads().id(slot) : UNKNOWN;
    } catch (JournalDamagedException e) {
      partition.reads().warn(e);
      return UNKNOWN;
    }
  }

  /**
   * Returns the entry of a message. A part that can't be read is null or has a default.
   *
   * @throws JournalDamagedException if the id can't be read
   */
  @Override
  public Entry entry(int slot, long nowMillis, boolean withContent) {
    Place place = slots.place(slot);
    return new Entry(
        partition.reads().id(slot),
        state(slot, nowMillis),
        withContent && place != Place.FINISHED ? content(slot) : null,
        readable(() -> dueMillis(slot), time(slot)),
        partition.attempts(slot),
        readable(() -> partition.reads().history(slot), MessageState.NO_HISTORY),
        place == Place.LEASED ? time(slot) : 0,
        isCancelled(slot),
        place == Place.DEAD ? time(slot) : 0,
        place == Place.LEASED ? partition.lease(slot).holder : null);
  }

  private @Nullable Content content(int slot) {
    try {
      return partition.reads().intact(slot, partition.reads().message(slot)).content();
    } catch (IllegalArgumentException | JournalDamagedException e) {
      return null;
    }
  }

  private static <T> T readable(Supplier<T> read, T otherwise) {
    try {
      return read.get();
    } catch (JournalDamagedException e) {
      return otherwise;
    }
  }
}
