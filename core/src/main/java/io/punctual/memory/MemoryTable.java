package io.punctual.memory;

import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.ClaimSelection;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionTable;
import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives {@link io.punctual.embedded.PartitionRules} and {@link ClaimSelection} access to the items
 * of a partition by slot. Guarded by the partition's lock.
 */
final class MemoryTable implements PartitionTable<Operation>, ClaimSelection.Claimable {
  private final PartitionState partition;
  private final ItemTable items;

  /**
   * The time of the current call with operations, by the store's clock, in milliseconds from 1970.
   */
  private long nowMillis;

  MemoryTable(PartitionState partition) {
    this.partition = partition;
    items = partition.items();
  }

  /** Begins a call with operations. */
  void begin(EngineTime now) {
    nowMillis = now.millis();
  }

  @Override
  public int find(Operation operation) {
    return slot(partition.find(operation.id()));
  }

  @Override
  public int findLeased(Operation operation) {
    Item item = partition.find(operation.id());
    return item == null || item.place != Place.LEASED ? NONE : item.slot;
  }

  /**
   * Reads the place from the item, which the search by id has already brought into the cache, and
   * not from the array of places.
   */
  @Override
  public Place place(int slot) {
    Item item = items.at(slot);
    return item == null ? Place.FREE : item.place;
  }

  @Override
  public long time(int slot) {
    return items.get(slot).time;
  }

  @Override
  public long dueMillis(int slot) {
    return items.get(slot).dueMillis;
  }

  @Override
  public long token(int slot) {
    return items.get(slot).token;
  }

  @Override
  public boolean isCancelled(int slot) {
    return items.get(slot).cancelled;
  }

  /** Returns null, because the memory store has no limit of its own. */
  @Override
  public Outcome.@Nullable Full whyFull(int slot) {
    return null;
  }

  @Override
  public void add(Operation operation, long dueMillis) {
    partition.add(operation.id(), content(operation), dueMillis);
  }

  @Override
  public void restore(Operation operation, Operation.Restore asked) {
    Item item = partition.add(asked.id(), asked.content(), asked.dueMillis());
    item.attempts = asked.attempts();
    item.history = asked.history();
    if (asked.isDead()) {
      partition.bury(item, asked.diedAtMillis());
    }
  }

  @Override
  public void remember(Operation operation, long untilMillis) {
    partition.remember(operation.id(), untilMillis);
  }

  private Content content(Operation operation) {
    return Objects.requireNonNull(operation.content(), "the operation stores no content")
        .created(nowMillis);
  }

  @Override
  public void replace(int slot, Operation operation, long dueMillis) {
    Item item = items.get(slot);
    Content content = content(operation);
    int bytes = content.approximateBytes();
    partition.makeWait(item, dueMillis); // first, because it may throw
    item.renew(content, bytes);
  }

  @Override
  public void move(int slot, long dueMillis) {
    partition.move(items.get(slot), dueMillis);
  }

  @Override
  public void markCancelled(int slot) {
    items.get(slot).cancelled = true;
  }

  @Override
  public void extend(int slot, long untilMillis) {
    partition.move(items.get(slot), untilMillis);
  }

  @Override
  public void retry(int slot, long dueMillis, byte[] history) {
    Item item = items.get(slot);
    partition.makeWait(item, dueMillis);
    item.history = history;
  }

  @Override
  public void release(int slot, long dueMillis) {
    Item item = items.get(slot);
    partition.makeWait(item, dueMillis);
    item.attempts--;
  }

  @Override
  public void bury(int slot, long nowMillis, byte[] history) {
    Item item = items.get(slot);
    partition.bury(item, nowMillis);
    item.history = history;
  }

  @Override
  public void finish(int slot, Operation operation, long untilMillis) {
    partition.finish(items.get(slot), untilMillis);
  }

  @Override
  public int firstForgotten(long nowMillis) {
    return slot(partition.firstForgotten(nowMillis));
  }

  @Override
  public void restart(int slot, long dueMillis) {
    Item item = items.get(slot);
    partition.makeWait(item, dueMillis);
    item.forgetAttempts();
  }

  @Override
  public void remove(int slot) {
    partition.remove(items.get(slot));
  }

  @Override
  public boolean isPaused() {
    return partition.isPaused();
  }

  @Override
  public ClaimLimits limits() {
    return partition.limits();
  }

  @Override
  public int leased() {
    return partition.leased();
  }

  @Override
  public int firstExpired(long nowMillis) {
    return slot(partition.firstExpired(nowMillis));
  }

  @Override
  public int firstDue(long nowMillis) {
    return slot(partition.firstDue(nowMillis));
  }

  @Override
  public int bytes(int slot) {
    return items.get(slot).approximateBytes();
  }

  private static int slot(@Nullable Item item) {
    return item == null ? NONE : item.slot;
  }
}
