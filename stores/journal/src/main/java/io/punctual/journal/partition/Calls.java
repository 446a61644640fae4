package io.punctual.journal.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.EngineTime;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.SessionTable;
import io.punctual.spi.SessionTable.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Carries out the calls of sessions, each once, or answers them again. Sessions live in memory:
 * they end with the process. For the engine's thread alone.
 */
final class Calls {
  private final SessionTable<Answer> sessions = new SessionTable<>();
  private final Journal journal;
  private final PartitionState partition;
  private final Changes changes;
  private final Settlements settlements;
  private final Claims claims;

  Calls(Journal journal, PartitionState partition) {
    this.journal = journal;
    this.partition = partition;
    changes = new Changes(partition, journal.space());
    settlements = new Settlements(partition);
    claims = new Claims(partition, journal.partitions().attempts());
  }

  SessionTable<Answer> sessions() {
    return sessions;
  }

  Changes changes() {
    return changes;
  }

  /**
   * Answers a call.
   *
   * @param prepared the operations of an apply, unless there are too many
   * @throws Partition.PartitionException if it is refused; it then had no effect
   */
  void answer(Call call, List<Prepared> prepared, CompletableFuture<Reply> reply) {
    Admission<Answer> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<Answer> refused) {
      journal.reply(() -> reply.complete(refused.reply()));
    } else if (admission instanceof Admission.Repeated<Answer> repeated) {
      again(repeated.answer(), reply);
    } else {
      journal.requireWorking();
      carryOut(call, prepared, reply);
    }
  }

  private void again(Answer answer, CompletableFuture<Reply> reply) {
    if (answer instanceof Answer.Claimed claimed) {
      journal.requireWorking();
      Reply left = claims.again(claimed.token(), claimed.ids(), journal.now());
      journal.reply(() -> reply.complete(left));
    } else {
      repeat(((Answer.Applied) answer).reply(), reply);
    }
  }

  /** A failed call fails once: the same failure again would only make the session repeat it. */
  private void repeat(CompletableFuture<Reply> answer, CompletableFuture<Reply> reply) {
    CompletableFuture<?> unused =
        answer.whenComplete(
            (kept, failure) ->
                journal.reply(
                    () -> reply.complete(failure == null ? kept : new Reply.Forgotten())));
  }

  private void carryOut(Call call, List<Prepared> prepared, CompletableFuture<Reply> reply) {
    if (call.body() instanceof Call.Claim claim) {
      claim(call, claim, reply);
    } else {
      apply(call, (Call.Apply) call.body(), prepared, reply);
    }
  }

  private void claim(Call call, Call.Claim asked, CompletableFuture<Reply> reply) {
    if (asked.limit() < 0 || asked.limit() > Partition.MAX_PAGE || asked.leaseMillis() < 1) {
      throw refused(
          "A claim takes up to " + Partition.MAX_PAGE + " messages for 1 ms or more: " + asked);
    }
    EngineTime now = journal.now();
    if (!journal.tokens().isReady(now.micros())) {
      journal.submitWhenSafe(reply, () -> answer(call, List.of(), reply));
      return;
    }
    Reply.Claimed claimed = claim(asked, now);
    sessions.remember(call, Answer.Claimed.of(claimed));
    journal.reply(() -> reply.complete(claimed));
  }

  /** A claim that fails has put everything back. */
  private Reply.Claimed claim(Call.Claim asked, EngineTime now) {
    try {
      return claims.claim(asked, journal.tokens().take(now.micros()), now);
    } catch (PunctualException e) {
      throw refused(e);
    }
  }

  private void apply(
      Call call, Call.Apply asked, List<Prepared> prepared, CompletableFuture<Reply> reply) {
    if (asked.operations().size() > Partition.MAX_OPERATIONS) {
      throw refused("A call carries up to " + Partition.MAX_OPERATIONS + " operations");
    }
    if (asked.durability() != null) {
      throw refused(
          "The journal has no durability to choose for a call: it is opened with one, as in"
              + " journal:./data?fsync=always");
    }
    Reply.Applied applied = applyOrFail(prepared);
    sessions.remember(call, new Answer.Applied(reply));
    journal.answerWhenSafe(reply, applied);
  }

  /** Closes the journal if only a part was done: what is in it then, only its files can tell. */
  private Reply.Applied applyOrFail(List<Prepared> prepared) {
    try {
      return apply(prepared, journal.now());
    } catch (RuntimeException | Error e) {
      journal.fail(e);
      return new Reply.Applied(List.of(), 0, null);
    }
  }

  private Reply.Applied apply(List<Prepared> prepared, EngineTime now) {
    partition.expect(prepared);
    List<Outcome> outcomes = new ArrayList<>(prepared.size());
    for (Prepared one : prepared) {
      outcomes.add(applyOne(one, now));
    }
    return new Reply.Applied(List.copyOf(outcomes), now.micros(), null);
  }

  /** A message that can't be read concerns its own operation, and no other in the call. */
  private Outcome applyOne(Prepared prepared, EngineTime now) {
    try {
      return apply(prepared, now);
    } catch (JournalDamagedException e) {
      return new Outcome.Failed(
          "Nothing was changed, since message '%s' of queue '%s' can't be read. %s"
              .formatted(prepared.operation().id(), partition.name(), e.getMessage()));
    }
  }

  private Outcome apply(Prepared prepared, EngineTime now) {
    Operation operation = prepared.operation();
    if (operation instanceof Operation.Schedule) {
      return changes.schedule(prepared, now);
    }
    if (operation instanceof Operation.Settlement settlement) {
      return settlements.settle(settlement, prepared.id(), now);
    }
    if (operation instanceof Operation.Cancel) {
      return changes.cancel(prepared.id());
    }
    if (operation instanceof Operation.Reschedule reschedule) {
      return changes.reschedule(prepared.id(), reschedule.due(), now);
    }
    if (operation instanceof Operation.RunNow) {
      return changes.runNow(prepared.id(), now);
    }
    if (operation instanceof Operation.Redrive) {
      return changes.redrive(prepared.id(), now);
    }
    return changes.deleteDead(prepared.id());
  }

  private static Partition.PartitionException refused(PunctualException why) {
    return new Partition.PartitionException(String.valueOf(why.getMessage()), why);
  }

  private static Partition.PartitionException refused(String why) {
    return new Partition.PartitionException(why, null);
  }
}
