package io.punctual.kit.history;

import io.punctual.kit.history.HistoryEvent.ClaimAnswered;
import io.punctual.kit.history.HistoryEvent.ClaimInvoked;
import io.punctual.kit.history.HistoryEvent.Claimed;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.SentAgain;
import io.punctual.kit.history.HistoryEvent.SettlementAnswered;
import io.punctual.kit.history.HistoryEvent.SettlementInvoked;
import io.punctual.kit.history.HistoryEvent.SettlementKind;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Operation.Settlement;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition.NotSentException;
import io.punctual.spi.Partition.PartitionException;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A call of a session: a claim, or operations. Of the operations, only the settlements are
 * recorded. The call may be sent repeatedly. Safe for use by many threads.
 */
final class RecordedCall {
  private final Call.Body body;
  private final List<Long> ops;
  private final String queue;
  private final Recording recording;
  private final AtomicInteger mayHaveArrived = new AtomicInteger(1);

  /**
   * Creates a recorded call.
   *
   * @param ops the numbers of the recorded operations: the claim's number, or a number for each
   *     operation, with 0 for operations that are not settlements
   */
  private RecordedCall(Call.Body body, List<Long> ops, String queue, Recording recording) {
    this.body = body;
    this.ops = ops;
    this.queue = queue;
    this.recording = recording;
  }

  /** Records the invocations of a call that is sent for the first time. */
  static RecordedCall firstSent(Call.Body body, String queue, Recording recording) {
    List<Long> ops = new ArrayList<>();
    if (body instanceof Call.Claim claim) {
      long op = recording.nextOp();
      ops.add(op);
      recording.record(
          new ClaimInvoked(
              recording.now(), op, queue, claim.limit(), claim.leaseMillis(), claim.atMostOnce()));
    } else if (body instanceof Call.Apply apply) {
      for (Operation operation : apply.operations()) {
        ops.add(operation instanceof Settlement s ? invoked(s, queue, recording) : 0L);
      }
    }
    return new RecordedCall(body, ops, queue, recording);
  }

  private static long invoked(Settlement settlement, String queue, Recording recording) {
    long op = recording.nextOp();
    DueTime due = due(settlement);
    recording.record(
        new SettlementInvoked(
            recording.now(),
            op,
            queue,
            settlement.id(),
            settlement.token(),
            kind(settlement),
            due.isDelay(),
            due.millis()));
    return op;
  }

  /**
   * Returns the due time of the message after the settlement, the new end of its lease, or the time
   * at which its id is forgotten; {@link DueTime#NOW} for a settlement that sets none of them.
   */
  private static DueTime due(Settlement settlement) {
    if (settlement instanceof Operation.Retry retry) {
      return retry.due();
    } else if (settlement instanceof Operation.Release release) {
      return Objects.requireNonNullElse(release.due(), DueTime.NOW);
    } else if (settlement instanceof Operation.Repeat repeat) {
      return repeat.due();
    } else if (settlement instanceof Operation.Extend extend) {
      return new DueTime(true, extend.leaseMillis());
    } else if (settlement instanceof Operation.Ack ack) {
      return new DueTime(true, ack.rememberMillis());
    }
    return DueTime.NOW;
  }

  private static SettlementKind kind(Settlement settlement) {
    if (settlement instanceof Operation.Ack) {
      return SettlementKind.ACK;
    } else if (settlement instanceof Operation.Retry) {
      return SettlementKind.RETRY;
    } else if (settlement instanceof Operation.Bury) {
      return SettlementKind.BURY;
    } else if (settlement instanceof Operation.Extend) {
      return SettlementKind.EXTEND;
    } else if (settlement instanceof Operation.Repeat) {
      return SettlementKind.REPEAT;
    }
    boolean defers = settlement instanceof Operation.Release release && release.due() != null;
    return defers ? SettlementKind.DEFER : SettlementKind.RELEASE;
  }

  void sentAgain() {
    mayHaveArrived.incrementAndGet();
    for (long op : ops) {
      if (op != 0) {
        recording.record(new SentAgain(recording.now(), op));
      }
    }
  }

  void answered(Reply reply) {
    if (reply instanceof Reply.Claimed claimed) {
      claimed(claimed);
    } else if (reply instanceof Reply.Applied applied) {
      applied(applied);
    } else {
      failed(
          reply instanceof Reply.Forgotten ? Doubt.UNKNOWN : Doubt.NOT_DONE,
          reply.toString(),
          op -> true);
    }
  }

  private void claimed(Reply.Claimed claimed) {
    long engine = engineMicros(claimed);
    for (Reply.Leased leased : claimed.messages()) {
      claimed(leased.id(), claimed.token(), leased.attempt(), leased.dueMillis(), engine);
    }
    recording.record(new ClaimAnswered(recording.now(), ops.get(0), engine));
  }

  /**
   * Returns the engine time of an answer to the claim. A repeated answer may contain a later time
   * than the time at which the lease began, so the time is unknown if an earlier sending may have
   * arrived.
   */
  private long engineMicros(Reply.Claimed claimed) {
    return mayHaveArrived.get() > 1 ? HistoryEvent.NO_TIME : claimed.engineMicros();
  }

  private void claimed(String id, long token, int attempt, long dueMillis, long engineMicros) {
    Call.Claim claim = (Call.Claim) body;
    long leasedUntil =
        engineMicros == HistoryEvent.NO_TIME
            ? HistoryEvent.NO_TIME
            : Math.floorDiv(engineMicros + 999, 1000) + claim.leaseMillis();
    recording.record(
        new Claimed(
            recording.now(),
            ops.get(0),
            queue,
            id,
            token,
            attempt,
            dueMillis,
            engineMicros,
            leasedUntil,
            claim.atMostOnce()));
  }

  /**
   * Records the outcomes of a call. The effect of an operation remains unknown in these cases: the
   * client gave the call up and sent it again without its operations; the store could not execute
   * the operation; or the call did not reach the requested durability, so that the store may lose
   * the change. An extension counts at once, because clients rely on it at once.
   */
  private void applied(Reply.Applied applied) {
    CompletionStage<@Nullable String> confirmation = applied.confirmation();
    answered(applied, op -> confirmation == null || isExtension(op));
    if (confirmation != null) {
      CompletionStage<?> unused =
          confirmation.thenAccept(
              why -> {
                if (why == null) {
                  answered(applied, op -> !isExtension(op));
                } else {
                  failed(Doubt.UNKNOWN, why, op -> !isExtension(op));
                }
              });
    }
  }

  private boolean isExtension(int op) {
    return body instanceof Call.Apply apply
        && apply.operations().get(op) instanceof Operation.Extend;
  }

  private void answered(Reply.Applied applied, IntPredicate which) {
    if (applied.outcomes().size() < ops.size()) {
      return;
    }
    for (int i = 0; i < ops.size(); i++) {
      if (ops.get(i) != 0
          && which.test(i)
          && applied.outcomes().get(i) instanceof Outcome.OfSettlement settled) {
        recording.record(
            new SettlementAnswered(
                recording.now(), ops.get(i), settled.outcome(), applied.engineMicros()));
      }
    }
  }

  void failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    boolean notDone = cause instanceof NotSentException || cause instanceof PartitionException;
    failed(notDone ? Doubt.NOT_DONE : Doubt.UNKNOWN, cause.toString(), op -> true);
  }

  private void failed(Doubt doubt, String why, IntPredicate which) {
    if (doubt == Doubt.NOT_DONE) {
      mayHaveArrived.decrementAndGet();
    }
    for (int i = 0; i < ops.size(); i++) {
      if (ops.get(i) != 0 && which.test(i)) {
        recording.record(new Failed(recording.now(), ops.get(i), doubt, null, why));
      }
    }
  }
}
