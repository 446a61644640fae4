package io.punctual.journal;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import java.nio.ByteBuffer;

/**
 * What clients change by id, in each place that the id can be in: the table of the design, in code.
 * For the engine's thread alone.
 */
final class Changes {
  private final LaneState lane;
  private final SlotTable slots;
  private final Space space;

  Changes(LaneState lane, Space space) {
    this.lane = lane;
    this.slots = lane.slots();
    this.space = space;
  }

  Outcome schedule(Prepared prepared, EngineTime now) {
    Operation.Schedule asked = (Operation.Schedule) prepared.operation();
    long due = asked.due().atMillis(now.micros());
    int slot = lane.find(prepared.id());
    if (slot == SlotTable.NONE) {
      if (space.isLow()) {
        return full();
      }
      if (slots.size() >= IdTable.MAX_SLOTS - 1) {
        return new Outcome.Full(
            "The queue has " + slots.size() + " messages, and a journal takes no more in one");
      }
      lane.add(prepared.id(), prepared.content(), due);
      return new Outcome.OfSchedule(ScheduleOutcome.STORED, due, null);
    }
    State previous = state(slot, now.millis());
    if (!replaces(asked.ifPresent(), slot, due)) {
      return new Outcome.OfSchedule(kept(asked.ifPresent()), dueMillis(slot), previous);
    }
    if (space.isLow()) {
      return full();
    }
    lane.replace(slot, prepared.id(), prepared.content(), due);
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
      default -> lane.time(slot) <= nowMillis ? State.READY : State.SCHEDULED;
    };
  }

  /** When a message is or was due, whatever became of it. */
  long dueMillis(int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> lane.lease(slot).dueMillis;
      case DEAD -> {
        ByteBuffer state = lane.reads().state(slot);
        yield state == null ? lane.time(slot) : RecordReader.state(state, 0).dueMillis();
      }
      default -> lane.time(slot);
    };
  }

  private boolean replaces(IfPresent mode, int slot, long due) {
    return switch (mode) {
      case REJECT -> false;
      case KEEP -> lane.isMarked(slot);
      case REPLACE -> true;
      case EARLIEST -> lane.isMarked(slot) || isBeatenBy(due, slot);
    };
  }

  private boolean isBeatenBy(long due, int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> false;
      case DEAD -> true;
      default -> due < lane.time(slot);
    };
  }

  private static ScheduleOutcome kept(IfPresent mode) {
    return mode == IfPresent.REJECT ? ScheduleOutcome.REJECTED : ScheduleOutcome.KEPT;
  }

  Outcome cancel(Id id) {
    int slot = lane.find(id);
    return new Outcome.OfCancel(slot == SlotTable.NONE ? CancelOutcome.NOT_FOUND : cancel(slot));
  }

  private CancelOutcome cancel(int slot) {
    return switch (slots.place(slot)) {
      case LEASED -> {
        lane.mark(lane.lease(slot));
        yield CancelOutcome.RUNNING;
      }
      case DEAD -> CancelOutcome.DEAD;
      default -> {
        lane.remove(slot);
        yield CancelOutcome.CANCELLED;
      }
    };
  }

  Outcome reschedule(Id id, DueTime due, EngineTime now) {
    int slot = lane.find(id);
    return new Outcome.OfReschedule(
        slot == SlotTable.NONE
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(slot, due.atMillis(now.micros())));
  }

  Outcome runNow(Id id, EngineTime now) {
    int slot = lane.find(id);
    return new Outcome.OfReschedule(
        slot == SlotTable.NONE
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(slot, Math.min(lane.time(slot), now.millisAfter(0))));
  }

  private RescheduleOutcome reschedule(int slot, long due) {
    return switch (slots.place(slot)) {
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
      default -> {
        if (due != lane.time(slot)) {
          lane.move(slot, due);
        }
        yield RescheduleOutcome.RESCHEDULED;
      }
    };
  }

  Outcome redrive(Id id, EngineTime now) {
    int slot = lane.find(id);
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      ByteBuffer state = lane.reads().state(slot);
      long token = state == null ? 0 : RecordReader.state(state, 0).token();
      lane.makeWait(slot, now.millisAfter(0), 0, token, LaneState.NO_HISTORY);
    }
    return new Outcome.OfDeadLetter(outcome);
  }

  Outcome deleteDead(Id id) {
    int slot = lane.find(id);
    DeadLetterOutcome outcome = deadLetter(slot);
    if (outcome == DeadLetterOutcome.DONE) {
      lane.remove(slot);
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
