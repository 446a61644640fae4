package io.punctual.memory;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.embedded.ClaimLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.Place;
import io.punctual.embedded.Purges;
import io.punctual.spi.Content;
import io.punctual.spi.LimitUse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a partition, each in one {@link Place}, and the moves between places. {@link
 * PartitionRules} and {@link Claims} decide which move follows from a call. Guarded by the
 * partition's lock.
 */
final class PartitionState {
  private final ItemTable items = new ItemTable();
  private final DueOrder waiting;
  private final ItemHeap leases = new ItemHeap();

  /** The remembered ids, in the order in which they are forgotten. */
  private final ItemHeap done = new ItemHeap();

  private final Purges purges = new Purges();
  private final ClaimLimits limits;
  private long arrivals;
  private long lastToken;
  private boolean paused;
  private PauseNote pauseNote = PauseNote.NONE;
  private boolean used;

  /**
   * Creates a partition without items.
   *
   * @param lastToken the last fencing token of the partition that this partition replaces; 0 if it
   *     replaces none
   * @param limits the limits of the partition, which has none at first
   */
  PartitionState(long nowMillis, long lastToken, ClaimLimits limits) {
    this.lastToken = lastToken;
    this.limits = limits;
    waiting = new DueOrder(items, nowMillis);
  }

  ItemTable items() {
    return items;
  }

  @Nullable Item find(String id) {
    return items.find(id);
  }

  /** Removes the expired ids, and returns whether neither messages nor remembered ids are left. */
  boolean isEmpty(long nowMillis) {
    Item forgotten = firstForgotten(nowMillis);
    while (forgotten != null) {
      remove(forgotten);
      forgotten = firstForgotten(nowMillis);
    }
    return items.isEmpty();
  }

  /**
   * The last fencing token that a claim of this partition, or of the partitions that it replaced,
   * received; 0 if there was no claim.
   */
  long lastToken() {
    return lastToken;
  }

  Purges purges() {
    return purges;
  }

  boolean isPaused() {
    return paused;
  }

  PauseNote pauseNote() {
    return pauseNote;
  }

  void pause(boolean paused, PauseNote note) {
    this.paused = paused;
    pauseNote = paused ? note : PauseNote.NONE;
    used |= paused;
  }

  ClaimLimits limits() {
    return limits;
  }

  void limit(QueueLimits newLimits) {
    limits.set(newLimits);
    used |= !newLimits.equals(QueueLimits.none());
  }

  /** The number of leased messages, including messages whose lease has expired. */
  int leased() {
    return leases.size();
  }

  /**
   * Whether the partition ever held a message, a remembered id, a pause or limits; if so, its queue
   * exists.
   */
  boolean isUsed() {
    return used;
  }

  /** Whether the partition has messages, remembered ids, a pause or limits. */
  boolean hasContents() {
    return !items.isEmpty() || paused || !limits.limits().equals(QueueLimits.none());
  }

  /**
   * The time at which a client should claim next, as {@link ClaimLimits#earliest(long, long, int,
   * EngineTime)} defines it; {@link Long#MAX_VALUE} while the queue is paused.
   */
  long earliest(EngineTime now) {
    return paused
        ? Long.MAX_VALUE
        : limits.earliest(firstLeaseEnd(), waiting.earliest(), leased(), now);
  }

  private long firstLeaseEnd() {
    Item lease = leases.first();
    return lease == null ? Long.MAX_VALUE : lease.time;
  }

  /**
   * Whether the partition's share of the limits prevents the claim of a message; if so, the limits
   * note the time.
   */
  boolean isShort(EngineTime now) {
    return !paused && limits.areShort(firstLeaseEnd(), waiting.earliest(), leased(), now);
  }

  Optional<LimitUse> limitUse(EngineTime now) {
    return limits.use(
        leased(),
        !paused && waiting.earliest() <= now.millis(),
        !paused && firstLeaseEnd() <= now.millis(),
        now);
  }

  /** The leased item whose lease expired first, or null if no lease has expired. */
  @Nullable Item firstExpired(long nowMillis) {
    Item first = leases.first();
    return first != null && first.time <= nowMillis ? first : null;
  }

  /** The remembered id that expired first, or null if every id must still be remembered. */
  @Nullable Item firstForgotten(long nowMillis) {
    Item first = done.first();
    return first != null && first.time <= nowMillis ? first : null;
  }

  /**
   * The waiting item with the earliest due time; null if no item is due, or if the search ended
   * early, as in {@link DueOrder#firstDue}.
   */
  @Nullable Item firstDue(long nowMillis) {
    return waiting.firstDue(nowMillis);
  }

  Item add(String id, Content content, long dueMillis) {
    Item item = items.create(id, content);
    prepare(item, Place.WAITING);
    items.add(item);
    arrive(item, dueMillis);
    return item;
  }

  void makeWait(Item item, long dueMillis) {
    prepare(item, Place.WAITING);
    leave(item);
    arrive(item, dueMillis);
  }

  /** Changes the due time of a waiting item, or the end of a lease. */
  void move(Item item, long time) {
    makeRoom(item, item.place);
    leave(item);
    if (item.place == Place.WAITING) {
      item.dueMillis = time;
    }
    enter(item, item.place, time);
  }

  void lease(Item item, long untilMillis, long token) {
    prepare(item, Place.LEASED);
    leave(item);
    item.token = token;
    item.attempts++;
    arrived(item);
    enter(item, Place.LEASED, untilMillis);
  }

  void bury(Item item, long nowMillis) {
    prepare(item, Place.DEAD);
    leave(item);
    arrived(item);
    enter(item, Place.DEAD, nowMillis);
  }

  void finish(Item item, long untilMillis) {
    prepare(item, Place.FINISHED);
    leave(item);
    item.finish();
    enterDone(item, untilMillis);
  }

  /** Adds the id of a finished message. */
  void remember(String id, long untilMillis) {
    Item item = items.create(id, Item.NO_CONTENT);
    prepare(item, Place.FINISHED);
    items.add(item);
    used = true;
    enterDone(item, untilMillis);
  }

  private void enterDone(Item item, long untilMillis) {
    item.dueMillis = untilMillis;
    arrived(item);
    enter(item, Place.FINISHED, untilMillis);
  }

  void remove(Item item) {
    leave(item);
    items.remove(item);
  }

  /**
   * Returns a fencing token that is greater than all earlier tokens, including the tokens of
   * partitions that this partition replaced.
   */
  long newToken(EngineTime now) {
    lastToken = PartitionRules.nextToken(lastToken, now.micros());
    return lastToken;
  }

  private void arrive(Item item, long dueMillis) {
    used = true;
    arrived(item);
    item.dueMillis = dueMillis;
    item.cancelled = false;
    enter(item, Place.WAITING, dueMillis);
  }

  private void arrived(Item item) {
    item.arrival = ++arrivals;
  }

  /**
   * Prepares the arrival of an item in a place: the arrival itself allocates no memory, so that an
   * error can't leave it half done.
   */
  private void prepare(Item item, Place place) {
    purges.arrived(item.slot);
    makeRoom(item, place);
  }

  private void makeRoom(Item item, Place place) {
    switch (place) {
      case WAITING -> waiting.makeRoom(item);
      case LEASED -> leases.makeRoom();
      case FINISHED -> done.makeRoom();
      case DEAD, FREE -> {}
    }
  }

  private void enter(Item item, Place place, long time) {
    items.put(item, place, time);
    switch (place) {
      case WAITING -> waiting.add(item);
      case LEASED -> leases.add(item);
      case FINISHED -> done.add(item);
      case DEAD, FREE -> {}
    }
  }

  private void leave(Item item) {
    switch (item.place) {
      case WAITING -> waiting.remove(item);
      case LEASED -> leases.remove(item);
      case FINISHED -> done.remove(item);
      case DEAD, FREE -> {}
    }
  }
}
