package io.punctual.migration.message;

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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages in a partition of the target, in batches, unless their ids are in use. One call
 * is in flight while the next batch fills. A call without an answer is sent again in a new session.
 * The new session ends the old session, so the first call can have no later effect. Not
 * thread-safe.
 */
public final class PartitionWriter {
  private static final long BATCH_BYTES = 2 << 20;

  private final Partition partition;
  private final String what;
  private final Batch scheduled;
  private final Batch restored;
  private final Batch remembered;
  private @Nullable String session;
  private long number;
  private List<Write> sent = List.of();
  private @Nullable CompletionStage<Reply> inFlight;
  private long stored;
  private long present;

  /** An operation, and the receiver of its outcome. */
  private record Write(Operation operation, Consumer<Outcome> answer) {}

  /** Operations of one kind, which stores execute faster than a mixture. */
  private static final class Batch {
    private final int limit;
    private List<Write> writes = new ArrayList<>();
    private long bytes;

    Batch(int limit) {
      this.limit = limit;
    }

    boolean add(MessageImage message, Consumer<Outcome> answer) {
      writes.add(new Write(message.toOperation(), answer));
      bytes += message.bytes();
      return writes.size() == limit || bytes >= BATCH_BYTES;
    }

    List<Write> take() {
      List<Write> taken = writes;
      writes = new ArrayList<>();
      bytes = 0;
      return taken;
    }
  }

  public PartitionWriter(Partition partition) {
    this.partition = partition;
    int limit = partition.operationsPerCall();
    scheduled = new Batch(limit);
    restored = new Batch(limit);
    remembered = new Batch(limit);
    what = "A batch for queue '" + partition.queue() + "' of the target";
  }

  /** Returns the number of messages and remembered ids that were stored. */
  public long stored() {
    return stored;
  }

  /** Returns the number of messages and remembered ids whose ids were in use. */
  public long present() {
    return present;
  }

  /**
   * Adds a message, and counts it as stored, or as present if its id is in use. Any other outcome
   * is a failure.
   */
  public void add(MessageImage message) {
    add(message, outcome -> count(message.id(), outcome));
  }

  /**
   * Adds a message. A later call of this method or of {@link #finish} passes the outcome to the
   * consumer, on the thread of that call.
   */
  public void add(MessageImage message, Consumer<Outcome> answer) {
    Batch batch = message.isRemembered() ? remembered : message.isNew() ? scheduled : restored;
    if (batch.add(message, answer)) {
      send(batch.take());
    }
  }

  /**
   * Sends the batches that are not full yet, waits for the outcomes of all messages, and ends the
   * session.
   */
  public void finish() {
    send(scheduled.take());
    send(restored.take());
    send(remembered.take());
    await();
    close();
  }

  /** Ends the session, without waiting for an answer. */
  public void close() {
    String open = session;
    session = null;
    if (open != null) {
      CompletionStage<?> unused = partition.closeSession(open).exceptionally(failure -> null);
    }
  }

  private void send(List<Write> writes) {
    if (!writes.isEmpty()) {
      await();
      sent = writes;
      inFlight = call();
    }
  }

  private CompletionStage<Reply> call() {
    String open = session;
    if (open == null) {
      return callInNewSession();
    }
    number++;
    Call.Apply apply = new Call.Apply(sent.stream().map(Write::operation).toList(), null);
    return partition.call(new Call(open, number, number, apply, false));
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

  /**
   * Fails if the call was not executed completely, or not confirmed, so that the caller sends it
   * again in a new session.
   */
  private static CompletionStage<Reply.Applied> applied(CompletionStage<Reply> reply) {
    return reply.thenCompose(PartitionWriter::confirmed);
  }

  private static CompletionStage<Reply.Applied> confirmed(Reply reply) {
    if (!(reply instanceof Reply.Applied applied)) {
      return CompletableFuture.failedStage(
          new Requests.NotDoneException("The session of the copy has ended: " + reply));
    }
    boolean busy = applied.outcomes().stream().anyMatch(Outcome.Busy.class::isInstance);
    if (busy) {
      return CompletableFuture.failedStage(
          new Requests.NotDoneException("An open transaction has changed a message of the batch"));
    }
    CompletionStage<@Nullable String> confirmation = applied.confirmation();
    if (confirmation == null) {
      return CompletableFuture.completedStage(applied);
    }
    return confirmation.thenApply(
        doubt -> {
          if (doubt != null) {
            throw new Requests.NotDoneException("The batch is stored, not confirmed: " + doubt);
          }
          return applied;
        });
  }

  private void note(Reply.Applied applied) {
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).answer().accept(applied.outcomes().get(i));
    }
  }

  private void count(String id, Outcome outcome) {
    if (!(outcome instanceof Outcome.OfSchedule of)) {
      throw new PunctualException(
          "The message '" + id + "' could not be stored: " + why(outcome), null);
    } else if (of.outcome() == ScheduleOutcome.STORED) {
      stored++;
    } else {
      present++;
    }
  }

  /** Returns the reason of an outcome other than {@link Outcome.OfSchedule}, for the user. */
  public static String why(Outcome outcome) {
    if (outcome instanceof Outcome.Full full) {
      return full.why();
    }
    return outcome instanceof Outcome.Failed failed ? failed.why() : outcome.toString();
  }
}
