package io.punctual.migration.copy;

import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages in a partition of the target, in batches, unless their ids are in use. One call
 * is in flight while the next batch fills. A call without an answer is sent again in a new session,
 * which ends the old session, so the first call can have no later effect. Not thread-safe.
 */
final class PartitionWriter {
  private static final long BATCH_BYTES = 2 << 20;

  private final Partition partition;
  private final String what;
  private final Batch scheduled;
  private final Batch restored;
  private final Batch remembered;
  private @Nullable String session;
  private long number;
  private List<Operation> sent = List.of();
  private @Nullable CompletionStage<Reply> inFlight;
  private long stored;
  private long present;

  /** Operations of one kind, which stores execute faster than a mixture. */
  private static final class Batch {
    private final int limit;
    private List<Operation> operations = new ArrayList<>();
    private long bytes;

    Batch(int limit) {
      this.limit = limit;
    }

    boolean add(MessageImage message) {
      operations.add(message.toOperation());
      bytes += message.bytes();
      return operations.size() == limit || bytes >= BATCH_BYTES;
    }

    List<Operation> take() {
      List<Operation> taken = operations;
      operations = new ArrayList<>();
      bytes = 0;
      return taken;
    }
  }

  PartitionWriter(Partition partition) {
    this.partition = partition;
    int limit = partition.operationsPerCall();
    scheduled = new Batch(limit);
    restored = new Batch(limit);
    remembered = new Batch(limit);
    what = "A batch for queue '" + partition.queue() + "' of the target";
  }

  /** Returns the number of messages and remembered ids that were stored. */
  long stored() {
    return stored;
  }

  /** Returns the number of messages and remembered ids whose ids were in use. */
  long present() {
    return present;
  }

  void add(MessageImage message) {
    Batch batch = message.isRemembered() ? remembered : message.isNew() ? scheduled : restored;
    if (batch.add(message)) {
      send(batch.take());
    }
  }

  /** Sends the rest, and waits until all messages are stored. */
  void finish() {
    send(scheduled.take());
    send(restored.take());
    send(remembered.take());
    await();
    close();
  }

  /** Ends the session, without waiting for an answer. */
  void close() {
    String open = session;
    session = null;
    if (open != null) {
      CompletionStage<?> unused = partition.closeSession(open).exceptionally(failure -> null);
    }
  }

  private void send(List<Operation> operations) {
    if (!operations.isEmpty()) {
      await();
      sent = operations;
      inFlight = call();
    }
  }

  private CompletionStage<Reply> call() {
    String open = session;
    if (open == null) {
      return callInNewSession();
    }
    number++;
    return partition.call(new Call(open, number, number, new Call.Apply(sent, null), false));
  }

  private CompletionStage<Reply> callInNewSession() {
    String old = session;
    String next = UUID.randomUUID().toString().replace("-", "");
    return partition
        .openSession(next, old)
        .thenCompose(
            unused -> {
              session = next;
              number = 0;
              return call();
            });
  }

  private void await() {
    CompletionStage<Reply> first = inFlight;
    if (first != null) {
      inFlight = null;
      note(Requests.answer(what, () -> applied(first), () -> applied(callInNewSession())));
    }
  }

  /** Fails unless the call was executed, so that it is sent again in a new session. */
  private static CompletionStage<Reply.Applied> applied(CompletionStage<Reply> reply) {
    return reply.thenCompose(PartitionWriter::confirmed);
  }

  private static CompletionStage<Reply.Applied> confirmed(Reply reply) {
    if (!(reply instanceof Reply.Applied applied)) {
      return CompletableFuture.failedStage(
          new PunctualException("The session of the copy has ended: " + reply, null));
    }
    boolean busy = applied.outcomes().stream().anyMatch(Outcome.Busy.class::isInstance);
    if (busy) {
      return CompletableFuture.failedStage(
          new PunctualException("An open transaction has changed a message of the batch", null));
    }
    CompletionStage<@Nullable String> confirmation = applied.confirmation();
    if (confirmation == null) {
      return CompletableFuture.completedStage(applied);
    }
    return confirmation.thenApply(
        doubt -> {
          if (doubt != null) {
            throw new PunctualException("The batch is stored, not confirmed: " + doubt, null);
          }
          return applied;
        });
  }

  private void note(Reply.Applied applied) {
    for (int i = 0; i < sent.size(); i++) {
      Outcome outcome = applied.outcomes().get(i);
      if (!(outcome instanceof Outcome.OfSchedule of)) {
        throw new PunctualException(
            "The message '" + sent.get(i).id() + "' could not be stored: " + why(outcome), null);
      } else if (of.outcome() == ScheduleOutcome.STORED) {
        stored++;
      } else {
        present++;
      }
    }
  }

  private static String why(Outcome outcome) {
    if (outcome instanceof Outcome.Full full) {
      return full.why();
    }
    return outcome instanceof Outcome.Failed failed ? failed.why() : outcome.toString();
  }
}
