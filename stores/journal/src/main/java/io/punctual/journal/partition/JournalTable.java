package io.punctual.journal.partition;

import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.PartitionTable;
import io.punctual.embedded.Place;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.IdTable;
import io.punctual.journal.index.Lease;
import io.punctual.journal.index.SlotTable;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a queue by slot, as the rules of {@code io.punctual.embedded} use them. A method
 * that reads a damaged record throws a {@link JournalDamagedException}. For the journal's thread
 * alone.
 */
final class JournalTable implements PartitionTable<Prepared>, ClaimSelection.Claimable {
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
    return partition.finished().firstForgotten(nowMillis);
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
}
