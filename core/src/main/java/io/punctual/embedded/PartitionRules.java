package io.punctual.embedded;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.deadletter.DeadLetterOutcome;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an operation does, depending on the {@link Place} of its message. The project's
 * documentation has these rules as a state table, and the contract suite tests each of its cells.
 * An expired lease counts as a lease until a claim selects its message.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 *
 * @param <P> the form of an operation that the store has prepared
 */
public final class PartitionRules<P> {
  /**
   * The largest number of expired ids that {@link #forget} removes before a call. A call adds at
   * most this many remembered ids, so the number of expired ids stays small.
   */
  private static final int FORGOTTEN_IDS = Partition.MAX_OPERATIONS;

  // The outcomes exist before their operations run, so that a lack of memory can't strike between
  // a change and its outcome.
  private static final Map<SettleOutcome, Outcome> SETTLEMENTS =
      outcomes(SettleOutcome.class, Outcome.OfSettlement::new);
  private static final Map<CancelOutcome, Outcome> CANCELS =
      outcomes(CancelOutcome.class, Outcome.OfCancel::new);
  private static final Map<RescheduleOutcome, Outcome> RESCHEDULES =
      outcomes(RescheduleOutcome.class, Outcome.OfReschedule::new);
  private static final Map<DeadLetterOutcome, Outcome> DEAD_LETTERS =
      outcomes(DeadLetterOutcome.class, Outcome.OfDeadLetter::new);

  private final PartitionTable<P> table;

  /** Creates the rules for a table. */
  public PartitionRules(PartitionTable<P> table) {
    this.table = table;
  }

  private static <K extends Enum<K>> Map<K, Outcome> outcomes(
      Class<K> type, Function<K, Outcome> creation) {
    Map<K, Outcome> outcomes = new EnumMap<>(type);
    for (K each : type.getEnumConstants()) {
      outcomes.put(each, creation.apply(each));
    }
    return outcomes;
  }

  private static <K> Outcome of(Map<K, Outcome> outcomes, K key) {
    return Objects.requireNonNull(outcomes.get(key));
  }

  /**
   * Returns a fencing token that is greater than the last token. It is at least the store's clock
   * in microseconds, so that it also exceeds the tokens of a partition whose last token was lost.
   */
  public static long nextToken(long last, long nowMicros) {
    return Math.max(last + 1, nowMicros);
  }

  /** Returns whether the answer to a repeated claim still contains this message. */
  public boolean isStillClaimed(int slot, long token, EngineTime now) {
    return place(slot) == Place.LEASED
        && table.token(slot) == token
        && !table.isCancelled(slot)
        && table.time(slot) > now.millis();
  }

  /**
   * Executes an operation.
   *
   * @param prepared the same operation, in the form that the store has prepared
   */
  public Outcome apply(Operation operation, P prepared, EngineTime now) {
    if (operation instanceof Operation.Settlement settlement) {
      return of(SETTLEMENTS, settle(settlement, prepared, now));
    }
    int slot = find(prepared, now);
    if (operation instanceof Operation.Schedule schedule) {
      return schedule(schedule, prepared, slot, now);
    }
    if (operation instanceof Operation.Restore restore) {
      return restore(restore, prepared, slot, now);
    }
    if (operation instanceof Operation.Remember remember) {
      return remember(remember, prepared, slot, now);
    }
    if (operation instanceof Operation.Cancel) {
      return of(CANCELS, cancel(slot));
    }
    if (operation instanceof Operation.Reschedule reschedule) {
      return of(RESCHEDULES, reschedule(slot, reschedule.due().atMillis(now.micros())));
    }
    if (operation instanceof Operation.RunNow) {
      return of(RESCHEDULES, runNow(slot, now));
    }
    if (operation instanceof Operation.ChangeWaiting change) {
      return of(RESCHEDULES, changeWaiting(change, slot, now));
    }
    return of(
        DEAD_LETTERS,
        operation instanceof Operation.Redrive redrive
            ? redrive(redrive, prepared, slot, now)
            : deleteDead(slot));
  }

  /**
   * Removes expired ids, up to a limit. Stores call this method before they execute a call of a
   * session.
   */
  public void forget(EngineTime now) {
    int slot = table.firstForgotten(now.millis());
    for (int i = 0; i < FORGOTTEN_IDS && slot != Slots.NONE; i++) {
      table.remove(slot);
      slot = table.firstForgotten(now.millis());
    }
  }

  private int find(P prepared, EngineTime now) {
    int slot = table.find(prepared);
    if (slot != Slots.NONE && table.isForgotten(slot, now.millis())) {
      table.remove(slot);
      return Slots.NONE;
    }
    return slot;
  }

  private Outcome schedule(Operation.Schedule asked, P prepared, int slot, EngineTime now) {
    long due = asked.due().atMillis(now.micros());
    State previous = slot == Slots.NONE ? null : table.state(slot, now.millis());
    if (previous != null && !replaces(asked.ifPresent(), slot, due)) {
      return new Outcome.OfSchedule(kept(asked.ifPresent()), table.dueMillis(slot), previous);
    }
    Outcome full = table.whyFull(slot);
    if (full != null) {
      return full;
    }
    if (previous == null) {
      Outcome stored = new Outcome.OfSchedule(ScheduleOutcome.STORED, due, null);
      table.add(prepared, due);
      return stored;
    }
    Outcome replaced = new Outcome.OfSchedule(ScheduleOutcome.REPLACED, due, previous);
    table.replace(slot, prepared, due);
    return replaced;
  }

  private Outcome restore(Operation.Restore asked, P prepared, int slot, EngineTime now) {
    Outcome refused = whyNotRestored(slot, now);
    if (refused != null) {
      return refused;
    }
    Outcome stored = new Outcome.OfSchedule(ScheduleOutcome.STORED, asked.dueMillis(), null);
    table.restore(prepared, asked);
    return stored;
  }

  private Outcome remember(Operation.Remember asked, P prepared, int slot, EngineTime now) {
    Outcome refused = whyNotRestored(slot, now);
    if (refused != null) {
      return refused;
    }
    Outcome stored = new Outcome.OfSchedule(ScheduleOutcome.STORED, asked.untilMillis(), null);
    if (asked.untilMillis() > now.millis()) {
      table.remember(prepared, asked.untilMillis());
    }
    return stored;
  }

  /**
   * Returns the outcome of a restore whose id is in use, or for which the store is full; null if
   * the store can restore the message.
   */
  private @Nullable Outcome whyNotRestored(int slot, EngineTime now) {
    if (slot != Slots.NONE) {
      State previous = table.state(slot, now.millis());
      return new Outcome.OfSchedule(ScheduleOutcome.REJECTED, table.dueMillis(slot), previous);
    }
    return table.whyFull(slot);
  }

  private boolean replaces(IfPresent mode, int slot, long due) {
    return switch (mode) {
      case REJECT -> false;
      case KEEP -> isEnded(slot);
      case REPLACE -> true;
      case EARLIEST -> isEnded(slot) || isLaterThan(due, slot);
    };
  }

  /**
   * Returns whether the message is dead, or was cancelled while leased; then no claim can return it
   * again.
   */
  private boolean isEnded(int slot) {
    return table.place(slot) == Place.DEAD || table.isCancelled(slot);
  }

  private boolean isLaterThan(long due, int slot) {
    return table.place(slot) == Place.WAITING && due < table.time(slot);
  }

  private static ScheduleOutcome kept(IfPresent mode) {
    return mode == IfPresent.REJECT ? ScheduleOutcome.REJECTED : ScheduleOutcome.KEPT;
  }

  private CancelOutcome cancel(int slot) {
    return switch (place(slot)) {
      case FREE, FINISHED -> CancelOutcome.NOT_FOUND;
      case WAITING -> {
        table.remove(slot);
        yield CancelOutcome.CANCELLED;
      }
      case LEASED -> {
        table.markCancelled(slot);
        yield CancelOutcome.RUNNING;
      }
      case DEAD -> CancelOutcome.DEAD;
    };
  }

  private RescheduleOutcome runNow(int slot, EngineTime now) {
    return slot == Slots.NONE
        ? RescheduleOutcome.NOT_FOUND
        : reschedule(slot, Math.min(table.time(slot), now.millis()));
  }

  private RescheduleOutcome reschedule(int slot, long due) {
    return switch (place(slot)) {
      case FREE, FINISHED -> RescheduleOutcome.NOT_FOUND;
      case WAITING -> {
        if (due != table.time(slot)) {
          table.move(slot, due);
        }
        yield RescheduleOutcome.RESCHEDULED;
      }
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
    };
  }

  private RescheduleOutcome changeWaiting(Operation.ChangeWaiting asked, int slot, EngineTime now) {
    DueTime due = asked.due();
    if (place(slot) == Place.WAITING && table.time(slot) != asked.dueMillis()) {
      return RescheduleOutcome.NOT_FOUND;
    }
    if (place(slot) == Place.WAITING && due == null) {
      table.remove(slot);
      return RescheduleOutcome.RESCHEDULED;
    }
    return reschedule(slot, due == null ? asked.dueMillis() : due.atMillis(now.micros()));
  }

  private DeadLetterOutcome redrive(Operation.Redrive asked, P prepared, int slot, EngineTime now) {
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      restart(asked.content(), prepared, slot, now.millis());
    }
    return outcome;
  }

  private DeadLetterOutcome deleteDead(int slot) {
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      table.remove(slot);
    }
    return outcome;
  }

  private DeadLetterOutcome deadLetter(int slot) {
    return switch (place(slot)) {
      case FREE, FINISHED -> DeadLetterOutcome.NOT_FOUND;
      case WAITING, LEASED -> DeadLetterOutcome.NOT_DEAD;
      case DEAD -> DeadLetterOutcome.DONE;
    };
  }

  /** Executes a settlement, which has an effect only if its token is the token of the lease. */
  private SettleOutcome settle(Operation.Settlement asked, P prepared, EngineTime now) {
    int slot = table.findLeased(prepared);
    if (slot == Slots.NONE || table.token(slot) != asked.token()) {
      return SettleOutcome.LEASE_LOST;
    }
    if (asked instanceof Operation.Ack ack) {
      end(ack, prepared, slot, now);
    } else if (asked instanceof Operation.Extend extend) {
      table.extend(slot, now.millisAfter(extend.leaseMillis()));
      return table.isCancelled(slot) ? SettleOutcome.CANCELLED : SettleOutcome.DONE;
    } else if (table.isCancelled(slot)) {
      table.remove(slot);
      return SettleOutcome.DISCARDED;
    } else {
      giveBack(asked, prepared, slot, now);
    }
    return SettleOutcome.DONE;
  }

  private void end(Operation.Ack asked, P prepared, int slot, EngineTime now) {
    if (asked.rememberMillis() == 0) {
      table.remove(slot);
    } else {
      table.finish(slot, prepared, now.millisAfter(asked.rememberMillis()));
    }
  }

  private void giveBack(Operation.Settlement asked, P prepared, int slot, EngineTime now) {
    if (asked instanceof Operation.Retry retry) {
      table.retry(slot, retry.due().atMillis(now.micros()), retry.history());
    } else if (asked instanceof Operation.Bury bury) {
      table.bury(slot, now.millis(), bury.history());
    } else if (asked instanceof Operation.Release release) {
      DueTime due = release.due();
      table.release(slot, due == null ? table.dueMillis(slot) : due.atMillis(now.micros()));
    } else if (asked instanceof Operation.Repeat repeat) {
      restart(repeat.content(), prepared, slot, repeat.due().atMillis(now.micros()));
    }
  }

  /**
   * Makes a message wait again without attempts: with the prepared content, or with its old content
   * if {@code content} is null.
   */
  private void restart(@Nullable Content content, P prepared, int slot, long due) {
    if (content == null) {
      table.restart(slot, due);
    } else {
      table.replace(slot, prepared, due);
    }
  }

  private Place place(int slot) {
    return slot == Slots.NONE ? Place.FREE : table.place(slot);
  }
}
