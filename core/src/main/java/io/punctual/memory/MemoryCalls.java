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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executes each call of a session once, and answers a repeated call without executing it again.
 * Guarded by the partition's lock.
 */
final class MemoryCalls {
  private final SessionTable<SessionAnswer<Application>> sessions = new SessionTable<>();
  private final MemoryTable table;
  private final PartitionRules<Operation> rules;
  private final Claims claims;

  MemoryCalls(PartitionState partition) {
    table = new MemoryTable(partition);
    rules = new PartitionRules<>(table);
    claims = new Claims(partition, table, rules);
  }

  SessionTable<SessionAnswer<Application>> sessions() {
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
    Admission<SessionAnswer<Application>> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<SessionAnswer<Application>> refused) {
      return refused.reply();
    }
    if (admission instanceof Admission.Repeated<SessionAnswer<Application>> repeated) {
      return again(repeated.answer(), now);
    }
    rules.forget(now);
    return call.body() instanceof Call.Claim claim
        ? claim(call, claim, now)
        : apply(call, (Call.Apply) call.body(), now);
  }

  private Reply again(SessionAnswer<Application> answer, EngineTime now) {
    if (answer instanceof SessionAnswer.Claimed<Application> claimed) {
      return claims.again(claimed, now);
    }
    if (answer instanceof SessionAnswer.Taken<Application> taken) {
      return taken.again(now);
    }
    return ((SessionAnswer.Applied<Application>) answer).reply().run(now);
  }

  private Reply claim(Call call, Call.Claim asked, EngineTime now) {
    CallLimits.check(asked);
    return claims.<Application>claim(
        asked, call.session(), now, answer -> sessions.remember(call, answer));
  }

  private Reply apply(Call call, Call.Apply asked, EngineTime now) {
    CallLimits.check(
        asked, "The memory store has no durability to choose: its messages end with the process");
    Application application = new Application(asked.operations());
    sessions.remember(call, new SessionAnswer.Applied<>(application));
    return application.run(now);
  }

  /**
   * The execution of a call with operations. An error can interrupt it; the repeated call then goes
   * on with the first operation that was not executed.
   */
  private final class Application {
    private List<Operation> operations;
    private Outcome[] outcomes;
    private int executed;
    private Reply.@Nullable Applied reply;

    Application(List<Operation> operations) {
      this.operations = operations;
      this.outcomes = new Outcome[operations.size()];
    }

    Reply.Applied run(EngineTime now) {
      Reply.Applied before = reply;
      if (before != null) {
        return before;
      }
      table.begin(now);
      for (; executed < outcomes.length; executed++) {
        Operation operation = operations.get(executed);
        outcomes[executed] = rules.apply(operation, operation, now);
      }
      Reply.Applied done = new Reply.Applied(List.of(outcomes), now.micros(), null);
      reply = done;
      operations = List.of();
      outcomes = new Outcome[0];
      return done;
    }
  }
}
