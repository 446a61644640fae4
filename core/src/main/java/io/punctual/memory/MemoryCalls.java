package io.punctual.memory;

import io.punctual.embedded.CallLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.SessionAnswer;
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
 * Executes each call of a session once, and answers a repeated call without executing it again.
 * Guarded by the partition's lock.
 */
final class MemoryCalls {
  private final SessionTable<SessionAnswer<Reply.Applied>> sessions = new SessionTable<>();
  private final MemoryTable table;
  private final PartitionRules<Operation> rules;
  private final Claims claims;

  MemoryCalls(PartitionState partition) {
    table = new MemoryTable(partition);
    rules = new PartitionRules<>(table);
    claims = new Claims(partition, table, rules);
  }

  SessionTable<SessionAnswer<Reply.Applied>> sessions() {
    return sessions;
  }

  /** Removes some expired remembered ids. */
  void forget(EngineTime now) {
    rules.forget(now);
  }

  /**
   * Answers a call.
   *
   * @throws Partition.PartitionException if the partition refuses the call, which then had no
   *     effect
   */
  Reply answer(Call call, EngineTime now) {
    Admission<SessionAnswer<Reply.Applied>> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<SessionAnswer<Reply.Applied>> refused) {
      return refused.reply();
    }
    if (admission instanceof Admission.Repeated<SessionAnswer<Reply.Applied>> repeated) {
      return again(repeated.answer(), now);
    }
    rules.forget(now);
    return call.body() instanceof Call.Claim claim
        ? claim(call, claim, now)
        : apply(call, (Call.Apply) call.body(), now);
  }

  private Reply again(SessionAnswer<Reply.Applied> answer, EngineTime now) {
    if (answer instanceof SessionAnswer.Claimed<Reply.Applied> claimed) {
      return claims.again(claimed, now);
    }
    if (answer instanceof SessionAnswer.Taken<Reply.Applied> taken) {
      return taken.again(now);
    }
    return ((SessionAnswer.Applied<Reply.Applied>) answer).reply();
  }

  private Reply claim(Call call, Call.Claim asked, EngineTime now) {
    CallLimits.check(asked);
    Reply.Claimed reply = claims.claim(asked, call.session(), now);
    sessions.remember(call, SessionAnswer.of(reply, asked.atMostOnce()));
    return reply;
  }

  private Reply apply(Call call, Call.Apply asked, EngineTime now) {
    CallLimits.check(
        asked, "The memory store has no durability to choose: its messages end with the process");
    table.begin(now);
    List<Outcome> outcomes = new ArrayList<>(asked.operations().size());
    for (Operation operation : asked.operations()) {
      outcomes.add(rules.apply(operation, operation, now));
    }
    Reply.Applied reply = new Reply.Applied(List.copyOf(outcomes), now.micros(), null);
    sessions.remember(call, new SessionAnswer.Applied<>(reply));
    return reply;
  }
}
