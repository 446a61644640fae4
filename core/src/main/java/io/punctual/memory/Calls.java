package io.punctual.memory;

import io.punctual.embedded.EngineTime;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.SessionTable;
import io.punctual.spi.SessionTable.Admission;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out the calls of sessions, each once, or answers them again. Guarded by the partition's
 * lock.
 */
final class Calls {
  private final SessionTable<Answer> sessions = new SessionTable<>();
  private final Changes changes;
  private final Settlements settlements;
  private final Claims claims;

  Calls(PartitionState partition) {
    changes = new Changes(partition);
    settlements = new Settlements(partition);
    claims = new Claims(partition);
  }

  SessionTable<Answer> sessions() {
    return sessions;
  }

  /**
   * Answers a call.
   *
   * @throws Partition.PartitionException if it is refused; it then had no effect
   */
  Reply answer(Call call, EngineTime now) {
    Admission<Answer> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<Answer> refused) {
      return refused.reply();
    }
    if (admission instanceof Admission.Repeated<Answer> repeated) {
      return again(repeated.answer(), now);
    }
    return call.body() instanceof Call.Claim claim
        ? claim(call, claim, now)
        : apply(call, (Call.Apply) call.body(), now);
  }

  private Reply again(Answer answer, EngineTime now) {
    if (answer instanceof Answer.Claimed claimed) {
      return claims.again(claimed.token(), claimed.ids(), now);
    }
    return ((Answer.Applied) answer).reply();
  }

  private Reply claim(Call call, Call.Claim asked, EngineTime now) {
    if (asked.limit() < 0 || asked.limit() > Partition.MAX_PAGE || asked.leaseMillis() < 1) {
      throw refused(
          "A claim takes up to " + Partition.MAX_PAGE + " messages for 1 ms or more: " + asked);
    }
    Reply.Claimed reply = claims.claim(asked, now);
    sessions.remember(call, Answer.Claimed.of(reply));
    return reply;
  }

  private Reply apply(Call call, Call.Apply asked, EngineTime now) {
    if (asked.operations().size() > Partition.MAX_OPERATIONS) {
      throw refused("A call carries up to " + Partition.MAX_OPERATIONS + " operations");
    }
    if (asked.durability() != null) {
      throw refused(
          "The memory store has no durability to choose: its messages end with the process");
    }
    List<Outcome> outcomes = new ArrayList<>(asked.operations().size());
    for (Operation operation : asked.operations()) {
      outcomes.add(apply(operation, now));
    }
    Reply.Applied reply = new Reply.Applied(List.copyOf(outcomes), now.micros(), null);
    sessions.remember(call, new Answer.Applied(reply));
    return reply;
  }

  private Outcome apply(Operation operation, EngineTime now) {
    if (operation instanceof Operation.Schedule schedule) {
      return changes.schedule(schedule, now);
    }
    if (operation instanceof Operation.Settlement settlement) {
      return settlements.settle(settlement, now);
    }
    if (operation instanceof Operation.Cancel cancel) {
      return changes.cancel(cancel.id());
    }
    if (operation instanceof Operation.Reschedule reschedule) {
      return changes.reschedule(reschedule.id(), reschedule.due(), now);
    }
    if (operation instanceof Operation.RunNow) {
      return changes.runNow(operation.id(), now);
    }
    if (operation instanceof Operation.Redrive) {
      return changes.redrive(operation.id(), now);
    }
    return changes.deleteDead(((Operation.DeleteDead) operation).id());
  }

  private static Partition.PartitionException refused(String why) {
    return new Partition.PartitionException(why, null);
  }
}
