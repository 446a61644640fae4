package io.punctual.jdbc.partition;

import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionTable;
import io.punctual.embedded.Place;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The locked messages of a call, to which {@code PartitionRules} applies the operations. The
 * changes are written to the database after the last operation. For a single thread.
 */
final class RowTable implements PartitionTable<Operation> {
  private static final byte[] NO_CONTENT = ContentFormat.encode(Content.of(new byte[0]));

  private final List<Row> rows = new ArrayList<>();
  private final Map<String, Integer> slots = new HashMap<>();
  private final EngineTime now;

  RowTable(EngineTime now) {
    this.now = now;
  }

  /** Adds a message that was loaded from the database. */
  void load(Row row) {
    slots.put(row.id, rows.size());
    rows.add(row);
  }

  List<Row> rows() {
    return rows;
  }

  @Override
  public int find(Operation operation) {
    Integer slot = slots.get(operation.id());
    return slot == null || rows.get(slot).place == Place.FREE ? NONE : slot;
  }

  @Override
  public int findLeased(Operation operation) {
    int slot = find(operation);
    return slot != NONE && rows.get(slot).place == Place.LEASED ? slot : NONE;
  }

  @Override
  public Place place(int slot) {
    return rows.get(slot).place;
  }

  @Override
  public long time(int slot) {
    return rows.get(slot).time;
  }

  @Override
  public long dueMillis(int slot) {
    return rows.get(slot).dueMillis();
  }

  @Override
  public long token(int slot) {
    return rows.get(slot).token;
  }

  @Override
  public boolean isCancelled(int slot) {
    return rows.get(slot).cancelled;
  }

  /**
   * Returns null, because the store has no limit of its own. A full disk fails the transaction
   * instead.
   */
  @Override
  public Outcome.@Nullable Full whyFull(int slot) {
    return null;
  }

  @Override
  public void add(Operation operation, long dueMillis) {
    replace(slotOf(operation), operation, dueMillis);
  }

  /**
   * Returns the slot of a new message: the slot of a removed message with the same id, or a new
   * slot.
   */
  private int slotOf(Operation operation) {
    if (!slots.containsKey(operation.id())) {
      load(new Row(operation.id()));
    }
    return Objects.requireNonNull(slots.get(operation.id()));
  }

  @Override
  public void remember(Operation operation, long untilMillis) {
    finish(slotOf(operation), operation, untilMillis);
  }

  @Override
  public void restore(Operation operation, Operation.Restore asked) {
    add(operation, asked.dueMillis());
    Row row = rows.get(Objects.requireNonNull(slots.get(asked.id())));
    row.attempts = asked.attempts();
    row.history = asked.history();
    if (asked.isDead()) {
      row.place = Place.DEAD;
      row.due = asked.dueMillis();
      row.time = asked.diedAtMillis();
    }
  }

  @Override
  public void replace(int slot, Operation operation, long dueMillis) {
    Row row = rows.get(slot);
    row.content = encoded(operation, now);
    row.restart(dueMillis);
  }

  /**
   * Returns the encoded content of an operation. A new content gets the current time as its time of
   * creation; a restored content keeps its own.
   */
  static byte[] encoded(Operation operation, EngineTime now) {
    Content content =
        Objects.requireNonNull(operation.content(), "the operation stores no content");
    boolean isRestored = operation instanceof Operation.Restore;
    return ContentFormat.encode(isRestored ? content : content.created(now.millis()));
  }

  @Override
  public void move(int slot, long dueMillis) {
    Row row = rows.get(slot);
    row.time = dueMillis;
    row.changed = true;
  }

  @Override
  public void markCancelled(int slot) {
    Row row = rows.get(slot);
    row.cancelled = true;
    row.changed = true;
  }

  @Override
  public void extend(int slot, long untilMillis) {
    move(slot, untilMillis);
  }

  @Override
  public void retry(int slot, long dueMillis, byte[] history) {
    Row row = rows.get(slot);
    row.history = history;
    row.makeWait(dueMillis);
  }

  @Override
  public void release(int slot, long dueMillis) {
    Row row = rows.get(slot);
    row.attempts--;
    row.makeWait(dueMillis);
  }

  @Override
  public void bury(int slot, long nowMillis, byte[] history) {
    Row row = rows.get(slot);
    row.place = Place.DEAD;
    row.time = nowMillis;
    row.history = history;
    row.changed = true;
  }

  @Override
  public void finish(int slot, Operation operation, long untilMillis) {
    Row row = rows.get(slot);
    row.restart(untilMillis);
    row.place = Place.FINISHED;
    row.due = untilMillis;
    row.content = NO_CONTENT;
  }

  /**
   * Returns {@link #NONE}, because {@link FinishedIdCleanup} deletes the rows of expired remembered
   * ids.
   */
  @Override
  public int firstForgotten(long nowMillis) {
    return NONE;
  }

  @Override
  public void restart(int slot, long dueMillis) {
    rows.get(slot).restart(dueMillis);
  }

  @Override
  public void remove(int slot) {
    Row row = rows.get(slot);
    row.place = Place.FREE;
    row.cancelled = false;
    row.changed = true;
  }
}
