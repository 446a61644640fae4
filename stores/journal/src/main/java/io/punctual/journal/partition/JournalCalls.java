package io.punctual.journal.partition;

import io.punctual.PunctualException;
import io.punctual.embedded.CallLimits;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.PartitionRules;
import io.punctual.embedded.SessionAnswer;
import io.punctual.journal.report.JournalDamagedException;
import io.punctual.spi.Call;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.SessionTable;
import io.punctual.spi.SessionTable.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Executes each call of a session once, and repeats the reply of a call that a session repeats.
 * Sessions are only in memory and end with the process. For the journal's thread alone.
 */
final class JournalCalls {
  private final SessionTable<SessionAnswer<CompletableFuture<Reply>>> sessions =
      new SessionTable<>();
  private final Journal journal;
  private final PartitionState partition;
  private final JournalTable table;
  private final PartitionRules<Prepared> rules;
  private final Claims claims;

  JournalCalls(Journal journal, PartitionState partition) {
    this.journal = journal;
    this.partition = partition;
    table = new JournalTable(partition, journal.space());
    rules = new PartitionRules<>(table);
    claims = new Claims(partition, table, rules, journal.partitions().attempts());
  }

  SessionTable<SessionAnswer<CompletableFuture<Reply>>> sessions() {
    return sessions;
  }

  JournalTable table() {
    return table;
  }

  /**
   * Executes a call, or repeats its reply.
   *
   * @param prepared the operations of an apply; empty for a claim, and for an apply with too many
   *     operations, which is refused
   * @throws Partition.PartitionException if the call is refused; it then had no effect
   */
  void answer(Call call, List<Prepared> prepared, CompletableFuture<Reply> reply) {
    Admission<SessionAnswer<CompletableFuture<Reply>>> admission = sessions.admit(call);
    if (admission instanceof Admission.Refused<SessionAnswer<CompletableFuture<Reply>>> refused) {
      // A failed journal refuses every call before this call, so the gap would never close.
      journal.requireWorking();
      journal.reply(() -> reply.complete(refused.reply()));
    } else if (admission
        instanceof Admission.Repeated<SessionAnswer<CompletableFuture<Reply>>> repeated) {
      again(repeated.answer(), reply);
    } else {
      journal.requireWorking();
      carryOut(call, prepared, reply);
    }
  }

  private void again(
      SessionAnswer<CompletableFuture<Reply>> answer, CompletableFuture<Reply> reply) {
    if (answer instanceof SessionAnswer.Claimed<CompletableFuture<Reply>> claimed) {
      journal.requireWorking();
      answer(claims.again(claimed, journal.now()), false, reply);
    } else if (answer instanceof SessionAnswer.Taken<CompletableFuture<Reply>> taken) {
      journal.requireWorking();
      answer(taken.again(journal.now()), true, reply);
    } else {
      repeat(((SessionAnswer.Applied<CompletableFuture<Reply>>) answer).reply(), reply);
    }
  }

  /**
   * Completes a repeated call with the reply of the first call. If the first call failed, the reply
   * is {@link Reply.Forgotten}: a failure would make the session repeat the call without end.
   */
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
    CallLimits.check(asked);
    EngineTime now = journal.now();
    if (!journal.tokens().isReady(now.micros())) {
      journal.submitWhenSafe(reply, () -> answer(call, List.of(), reply));
      return;
    }
    Reply.Claimed claimed = claim(call, asked, now);
    answer(claimed, asked.atMostOnce(), reply);
  }

  /**
   * Completes a claim. A claim for at-most-once delivery removes its messages, and waits until
   * these removals are safe in the journal; other claims do not wait.
   */
  private void answer(Reply.Claimed claimed, boolean atMostOnce, CompletableFuture<Reply> reply) {
    if (atMostOnce && !claimed.messages().isEmpty()) {
      journal.answerWhenSafe(reply, claimed);
    } else {
      journal.reply(() -> reply.complete(claimed));
    }
  }

  /**
   * Claims messages. If it can't take them, it leases none, so the failure is reported as a
   * refusal. A later failure fails the journal, because only a part of the messages may have been
   * leased.
   */
  private Reply.Claimed claim(Call call, Call.Claim asked, EngineTime now) {
    long token;
    try {
      token = journal.tokens().take(now.micros());
      claims.take(asked, call.session(), token, now);
    } catch (PunctualException e) {
      throw refused(e);
    }
    try {
      return claims.leaseTaken(
          asked,
          token,
          now,
          claimed -> sessions.remember(call, SessionAnswer.of(claimed, asked.atMostOnce())));
    } catch (RuntimeException | Error e) {
      journal.fail(e);
      throw e;
    }
  }

  private void apply(
      Call call, Call.Apply asked, List<Prepared> prepared, CompletableFuture<Reply> reply) {
    CallLimits.check(
        asked,
        "The journal has no durability to choose for a call: it is opened with one, as in"
            + " journal:./data?fsync=always");
    sessions.remember(call, new SessionAnswer.Applied<>(reply));
    Reply.Applied applied = applyOrFail(prepared);
    if (isRefused(applied)) {
      // The reply must not wait for the writer, which may wait for free space.
      journal.reply(() -> reply.complete(applied));
    } else {
      journal.answerWhenSafe(reply, applied);
    }
  }

  /** Whether all operations were refused for lack of room, so that nothing was changed. */
  private static boolean isRefused(Reply.Applied applied) {
    for (Outcome outcome : applied.outcomes()) {
      if (!(outcome instanceof Outcome.Full)) {
        return false;
      }
    }
    return !applied.outcomes().isEmpty();
  }

  /**
   * Applies operations. An exception fails the journal, because only a part of the operations may
   * have been applied. The next start restores the part that reached the files.
   */
  private Reply.Applied applyOrFail(List<Prepared> prepared) {
    try {
      return apply(prepared, journal.now());
    } catch (RuntimeException | Error e) {
      journal.fail(e);
      return new Reply.Applied(List.of(), 0, null);
    }
  }

  private Reply.Applied apply(List<Prepared> prepared, EngineTime now) {
    rules.forget(now);
    partition.expect(prepared);
    boolean mayFreePlace = partition.settings().limits().limits().hasConcurrency();
    long before = mayFreePlace ? partition.earliest() : 0;
    List<Outcome> outcomes = new ArrayList<>(prepared.size());
    for (Prepared one : prepared) {
      outcomes.add(applyOne(one, now));
    }
    if (mayFreePlace && partition.earliest() < before) {
      partition.hint();
    }
    return new Reply.Applied(List.copyOf(outcomes), now.micros(), null);
  }

  /**
   * Applies an operation. If its message can't be read, only this operation fails, not the whole
   * call.
   */
  private Outcome applyOne(Prepared prepared, EngineTime now) {
    try {
      return rules.apply(prepared.operation(), prepared, now);
    } catch (JournalDamagedException e) {
      return new Outcome.Failed(
          String.format(
              Locale.ROOT,
              "Nothing was changed, since message '%s' of queue '%s' can't be read. %s",
              prepared.operation().id(),
              partition.name(),
              String.valueOf(e.getMessage())));
    } catch (Partition.RefusedForNowException e) {
      String why = String.valueOf(e.getMessage());
      return prepared.operation().mayAddMessage()
          ? new Outcome.Full(why)
          : new Outcome.Failed("Nothing was changed. " + why);
    }
  }

  private static Partition.PartitionException refused(PunctualException why) {
    return new Partition.PartitionException(String.valueOf(why.getMessage()), why);
  }
}
