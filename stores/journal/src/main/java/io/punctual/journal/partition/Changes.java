package io.punctual.journal.partition;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.disk.Space;
import io.punctual.journal.format.Id;
import io.punctual.journal.format.MessageState;
import io.punctual.journal.index.IdTable;
import io.punctual.journal.index.Place;
import io.punctual.journal.index.SlotTable;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;

/**
 * What clients change by id, in each place that the id can be in: the table of the design, in code.
 * For the engine's thread alone.
 */
final class Changes {
  private final PartitionState partition;
  private final SlotTable slots;
  private final Space space;

  Changes(PartitionState partition, Space space) {
    this.partition = partition;
    this.slots = partition.slots();
    this.space = space;
  }

  Outcome schedule(Prepared prepared, EngineTime now) {
    Operation.Schedule asked = (Operation.Schedule) prepared.operation();
    long due = asked.due().atMillis(now.micros());
    int slot = partition.find(prepared.id());
    if (slot == SlotTable.NONE) {
      if (space.isLow()) {
        return full();
      }
      if (slots.size() >= IdTable.MAX_SLOTS - 1) {
        return new Outcome.Full(
            "The queue has " + slots.size() + " messages, and a journal takes no more in one");
      }
      partition.add(prepared.id(), prepared.content(), due);
      return new Outcome.OfSchedule(ScheduleOutcome.STORED, due, null);
    }
    State previous = state(slot, now.millis());
    if (!replaces(asked.ifPresent(), slot, due)) {
      return new Outcome.OfSchedule(kept(asked.ifPresent()), dueMillis(slot), previous);
    }
    if (space.isLow()) {
      return full();
    }
    partition.replace(slot, prepared.id(), prepared.content(), due);
    return new Outcome.OfSchedule(ScheduleOutcome.REPLACED, due, previous);
  }

  private Outcome full() {
    return new Outcome.Full(
        "Fewer than "
            + (space.minFreeBytes() >> 20)
            + " MiB are left on the disk of the journal; claims, settlements and cancels go on."
            + " Make room, and schedules will be taken again");
  }

  /** The state of a message that is there. */
  State state(int slot, long nowMillis) {
    return switch (slots.place(slot)) {
      case LEASED -> State.LEASED;
      case DEAD -> State.DEAD;
      default -> partition.time(slot) <= nowMillis ? State.READY : State.SCHEDULED;
    };
  }

  /** When a message is or was due, whatever became of it. */
  long dueMillis(int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> partition.lease(slot).dueMillis;
      case DEAD -> {
        StateRecord state = partition.reads().state(slot);
        yield state == null ? partition.time(slot) : state.state().dueMillis();
      }
      default -> partition.time(slot);
    };
  }

  private boolean replaces(IfPresent mode, int slot, long due) {
    return switch (mode) {
      case REJECT -> false;
      case KEEP -> partition.isMarked(slot);
      case REPLACE -> true;
      case EARLIEST -> partition.isMarked(slot) || isBeatenBy(due, slot);
    };
  }

  private boolean isBeatenBy(long due, int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> false;
      case DEAD -> true;
      default -> due < partition.time(slot);
    };
  }

  private static ScheduleOutcome kept(IfPresent mode) {
    return mode == IfPresent.REJECT ? ScheduleOutcome.REJECTED : ScheduleOutcome.KEPT;
  }

  Outcome cancel(Id id) {
    int slot = partition.find(id);
    return new Outcome.OfCancel(slot == SlotTable.NONE ? CancelOutcome.NOT_FOUND : cancel(slot));
  }

  private CancelOutcome cancel(int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> {
        partition.mark(partition.lease(slot));
        yield CancelOutcome.RUNNING;
      }
      case DEAD -> CancelOutcome.DEAD;
      default -> {
        partition.remove(slot);
        yield CancelOutcome.CANCELLED;
      }
    };
  }

  Outcome reschedule(Id id, DueTime due, EngineTime now) {
    int slot = partition.find(id);
    return new Outcome.OfReschedule(
        slot == SlotTable.NONE
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(slot, due.atMillis(now.micros())));
  }

  Outcome runNow(Id id, EngineTime now) {
    int slot = partition.find(id);
    return new Outcome.OfReschedule(
        slot == SlotTable.NONE
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(slot, Math.min(partition.time(slot), now.millisAfter(0))));
  }

  private RescheduleOutcome reschedule(int slot, long due) {
    return switch (slots.place(slot)) {
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
      default -> {
        if (due != partition.time(slot)) {
          partition.move(slot, due);
        }
        yield RescheduleOutcome.RESCHEDULED;
      }
    };
  }

  Outcome redrive(Id id, EngineTime now) {
    int slot = partition.find(id);
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      long token = StateRecord.token(partition.reads().state(slot));
      partition.makeWait(slot, now.millisAfter(0), 0, token, MessageState.NO_HISTORY);
    }
    return new Outcome.OfDeadLetter(outcome);
  }

  Outcome deleteDead(Id id) {
    int slot = partition.find(id);
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      partition.remove(slot);
    }
    return new Outcome.OfDeadLetter(outcome);
  }

  private DeadLetterOutcome deadLetter(int slot) {
    if (slot == SlotTable.NONE) {
      return DeadLetterOutcome.NOT_FOUND;
    }
    return slots.place(slot) == Place.DEAD ? DeadLetterOutcome.DONE : DeadLetterOutcome.NOT_DEAD;
  }
}
