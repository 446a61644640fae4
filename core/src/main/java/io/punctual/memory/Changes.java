package io.punctual.memory;

import io.punctual.CancelOutcome;
import io.punctual.DeadLetterOutcome;
import io.punctual.IfPresent;
import io.punctual.RescheduleOutcome;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.embedded.EngineTime;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * What clients change by id, in each place that the id can be in: the table of the design, in code.
 * Guarded by the partition's lock.
 */
final class Changes {
  private final PartitionState partition;

  Changes(PartitionState partition) {
    this.partition = partition;
  }

  Outcome schedule(Operation.Schedule asked, EngineTime now) {
    long due = asked.due().atMillis(now.micros());
    Item there = partition.find(asked.id());
    if (there == null) {
      partition.add(asked.id(), asked.content(), due);
      return new Outcome.OfSchedule(ScheduleOutcome.STORED, due, null);
    }
    State previous = there.state(now.millis());
    if (!replaces(asked.ifPresent(), there, due)) {
      return new Outcome.OfSchedule(kept(asked.ifPresent()), there.dueMillis, previous);
    }
    there.renew(asked.content());
    partition.makeWait(there, due);
    return new Outcome.OfSchedule(ScheduleOutcome.REPLACED, due, previous);
  }

  private static boolean replaces(IfPresent mode, Item there, long due) {
    return switch (mode) {
      case REJECT -> false;
      case KEEP -> there.cancelled;
      case REPLACE -> true;
      case EARLIEST -> there.cancelled || isBeatenBy(due, there);
    };
  }

  private static boolean isBeatenBy(long due, Item there) {
    return switch (there.place) {
      case WAITING -> due < there.dueMillis;
      case LEASED -> false;
      case DEAD -> true;
    };
  }

  private static ScheduleOutcome kept(IfPresent mode) {
    return mode == IfPresent.REJECT ? ScheduleOutcome.REJECTED : ScheduleOutcome.KEPT;
  }

  Outcome cancel(String id) {
    Item there = partition.find(id);
    return new Outcome.OfCancel(there == null ? CancelOutcome.NOT_FOUND : cancel(there));
  }

  private CancelOutcome cancel(Item there) {
    return switch (there.place) {
      case WAITING -> {
        partition.remove(there);
        yield CancelOutcome.CANCELLED;
      }
      case LEASED -> {
        there.cancelled = true;
        yield CancelOutcome.RUNNING;
      }
      case DEAD -> CancelOutcome.DEAD;
    };
  }

  Outcome reschedule(String id, DueTime due, EngineTime now) {
    Item there = partition.find(id);
    return new Outcome.OfReschedule(
        there == null
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(there, due.atMillis(now.micros())));
  }

  Outcome runNow(String id, EngineTime now) {
    Item there = partition.find(id);
    return new Outcome.OfReschedule(
        there == null
            ? RescheduleOutcome.NOT_FOUND
            : reschedule(there, Math.min(there.dueMillis, now.millisAfter(0))));
  }

  private RescheduleOutcome reschedule(Item there, long due) {
    return switch (there.place) {
      case WAITING -> {
        partition.move(there, due);
        yield RescheduleOutcome.RESCHEDULED;
      }
      case LEASED -> RescheduleOutcome.RUNNING;
      case DEAD -> RescheduleOutcome.DEAD;
    };
  }

  Outcome redrive(String id, EngineTime now) {
    Item there = partition.find(id);
    DeadLetterOutcome outcome = deadLetter(there);
    if (there != null && outcome == DeadLetterOutcome.DONE) {
      there.forgetAttempts();
      partition.makeWait(there, now.millisAfter(0));
    }
    return new Outcome.OfDeadLetter(outcome);
  }

  Outcome deleteDead(String id) {
    Item there = partition.find(id);
    DeadLetterOutcome outcome = deadLetter(there);
    if (there != null && outcome == DeadLetterOutcome.DONE) {
      partition.remove(there);
    }
    return new Outcome.OfDeadLetter(outcome);
  }

  private static DeadLetterOutcome deadLetter(@Nullable Item there) {
    if (there == null) {
      return DeadLetterOutcome.NOT_FOUND;
    }
    return there.place == Place.DEAD ? DeadLetterOutcome.DONE : DeadLetterOutcome.NOT_DEAD;
  }
}
